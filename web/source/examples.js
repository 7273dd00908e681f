/* What the editor begins with: {name: what is typed}, whose titles are in words.js. Tests send each of them. */

const textOf = (...lines) => `${lines.join("\n")}\n`;

const MATRIX = JSON.stringify([
  {name: "in", type: "f32", elements: "n * n"}, {name: "out", type: "f32", elements: "n * n"}, {name: "n", type: "u32"}
]);

// clang-format off
const NAIVE = textOf(
  "/* Each warp reads a row and writes a column. */",
  "__global__ void transpose(const float *in, float *out, unsigned n)",
  "{",
  "    unsigned x = blockIdx.x * 32 + threadIdx.x;",
  "    unsigned y = blockIdx.y * 32 + threadIdx.y;",
  "    for (unsigned j = 0; j < 32; j += 8)",
  "        if (x < n && y + j < n)",
  "            out[x * n + y + j] = in[(y + j) * n + x];",
  "}");

const TILE = textOf(
  "/* Rows both ways: a tile in shared memory is turned. */",
  "__global__ void transpose(const float *in, float *out, unsigned n)",
  "{",
  "    __shared__ float tile[32][32];",
  "    unsigned x = blockIdx.x * 32 + threadIdx.x;",
  "    unsigned y = blockIdx.y * 32 + threadIdx.y;",
  "    for (unsigned j = 0; j < 32; j += 8)",
  "        if (x < n && y + j < n)",
  "            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];",
  "    __syncthreads();",
  "    x = blockIdx.y * 32 + threadIdx.x;",
  "    y = blockIdx.x * 32 + threadIdx.y;",
  "    for (unsigned j = 0; j < 32; j += 8)",
  "        if (x < n && y + j < n)",
  "            out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];",
  "}");

const PADDED = textOf(
  "/* Rows both ways: a tile in shared memory is turned. Its column",
  "   33 keeps a column of the tile in 32 different banks. */",
  "__global__ void transpose(const float *in, float *out, unsigned n)",
  "{",
  "    __shared__ float tile[32][33];",
  "    unsigned x = blockIdx.x * 32 + threadIdx.x;",
  "    unsigned y = blockIdx.y * 32 + threadIdx.y;",
  "    for (unsigned j = 0; j < 32; j += 8)",
  "        if (x < n && y + j < n)",
  "            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];",
  "    __syncthreads();",
  "    x = blockIdx.y * 32 + threadIdx.x;",
  "    y = blockIdx.x * 32 + threadIdx.y;",
  "    for (unsigned j = 0; j < 32; j += 8)",
  "        if (x < n && y + j < n)",
  "            out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];",
  "}");

const AOS = textOf(
  "/* Array of structures: 32 lanes want every fourth word. */",
  "struct particle { float x, y, z, mass; };",
  "",
  "__global__ void masses(const particle *in, float *out, unsigned n)",
  "{",
  "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
  "    if (i < n)",
  "        out[i] = 2 * in[i].mass;",
  "}");

const SOA = textOf(
  "/* Structure of arrays: the masses lie side by side. */",
  "__global__ void masses(const float *x, const float *y, const float *z,",
  "                       const float *mass, float *out, unsigned n)",
  "{",
  "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
  "    if (i < n)",
  "        out[i] = 2 * mass[i];",
  "}");

const RACE = textOf(
  "/* Every element takes its left neighbour's value. What is missing? */",
  "__global__ void shift(const float *in, float *out, unsigned n)",
  "{",
  "    __shared__ float s[256];",
  "    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;",
  "    s[t] = in[i];",
  "    __syncthreads();",
  "    float left = s[(t + 255) % 256];",
  "    s[t] = left;",
  "    out[i] = s[t];",
  "}");

const OFF_BY_ONE = textOf(
  "/* The mean of three neighbours. Which one is not there? */",
  "__global__ void smooth(const float *in, float *out, unsigned n)",
  "{",
  "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
  "    if (i > 0 && i < n)",
  "        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;",
  "}");

// clang-format on
export const EXAMPLES = {
  naive: {source: NAIVE, block: "32x8", grid: "16x16", scalars: {n: "512"}, arguments: MATRIX},
  tile: {source: TILE, block: "32x8", grid: "16x16", scalars: {n: "512"}, arguments: MATRIX},
  padded: {source: PADDED, block: "32x8", grid: "16x16", scalars: {n: "512"}, arguments: MATRIX},
  aos: {
    source: AOS,
    block: "256",
    threads: "n",
    scalars: {n: "65536"},
    arguments: JSON.stringify(
      [{name: "in", type: "f32x4", elements: "n"}, {name: "out", type: "f32", elements: "n"}, {name: "n", type: "u32"}])
  },
  soa: {source: SOA, block: "256", threads: "n", scalars: {n: "65536"}},
  race: {source: RACE, block: "256", grid: "256", scalars: {n: "65536"}},
  off_by_one: {source: OFF_BY_ONE, block: "256", threads: "n", scalars: {n: "65536"}}
};

/* The Chinese page replaces the first comment of each example with this text. */
export const COMMENTS_ZH = {
  naive: "每个线程束按行读、按列写。",
  tile: "两个方向都按行访问：在共享内存的分块里转置。",
  padded: "两个方向都按行访问：在共享内存的分块里转置。\n   第 33 列让分块的一列落在 32 个不同的存储体。",
  aos: "结构数组：32 个通道各取四个字中的一个。",
  soa: "数组结构：所有质量彼此相邻。",
  race: "每个元素取其左邻的值。缺了什么？",
  off_by_one: "三个相邻元素的平均值。哪一个并不存在？"
};

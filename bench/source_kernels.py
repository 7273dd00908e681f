"""Kernels for source_counters.py: name to (source, arguments, launches, other members of the request).

A launch has the request's scalars, "block" and "grid". `instance` is appended for nvcc, which makes no code of a template that
nobody instantiates."""


def buffer(name, elements, kind="f32", **more):
    return {"name": name, "type": kind, "elements": elements, **more}


def scalar(name, kind="u32"):
    return {"name": name, "type": kind}


def kernel(parameters, body, before=""):
    return f'{before}extern "C" __global__ void k({parameters})\n{{\n{body}\n}}\n'


def launches(*shapes, **scalars):
    """Of (n, block): as many blocks as cover n."""
    return [{"n": n, "block": block, "grid": -(-n // block), **scalars} for n, block in shapes]


I = "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
XY = "    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
T = "    unsigned t = threadIdx.x;\n"
USUAL = [(65536, 256), (100003, 96), (30011, 1024), (4097, 33)]
FEW = [(20000, 128), (7001, 64), (33333, 512)]
KERNELS = {}


def one_to_one(name, c_type, kind, body, inputs="n", outputs="n", shapes=USUAL):
    """From A to C, by threads that are below n."""
    KERNELS[name] = (kernel(f"const {c_type} *A, {c_type} *C, unsigned n", I + f"    if (i < n) {{\n        {body}\n    }}"),
                     [buffer("A", inputs, kind), buffer("C", outputs, kind), scalar("n")], launches(*shapes), {})


def simple():
    for c_type, kind in (("float", "f32"), ("double", "f64"), ("unsigned char", "u8"), ("short", "i16"), ("float2", "f32x2"),
                         ("float4", "f32x4"), ("long long", "i64"), ("uchar4", "u8x4")):
        one_to_one(f"copy_{kind}", c_type, kind, "C[i] = A[i];")
    for stride in (2, 3, 8, 32, 33):
        one_to_one(f"read_stride_{stride}", "float", "f32", f"C[i] = A[i * {stride}];", f"n * {stride}", shapes=FEW)
    for stride in (2, 5):
        one_to_one(f"write_stride_{stride}", "float", "f32", f"C[i * {stride}] = A[i];", "n", f"n * {stride}", FEW)
    one_to_one("reversed", "float", "f32", "C[i] = A[n - 1 - i];")
    one_to_one("reversed_f64", "double", "f64", "C[n - 1 - i] = A[i];")
    one_to_one("stencil_3", "float", "f32", "C[i] = A[i] + A[i + 1] + A[i + 2];", "n + 2")
    one_to_one("stencil_5", "double", "f64", "C[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3] + A[i + 4];", "n + 4")
    one_to_one("stencil_guarded", "float", "f32", "float l = i > 0 ? A[i - 1] : 0, r = i + 1 < n ? A[i + 1] : 0; C[i] = l + A[i] + r;")
    one_to_one("broadcast", "float", "f32", "C[i] = A[0];")
    one_to_one("broadcast_by_warp", "float", "f32", "C[i] = A[i / 32];")
    one_to_one("pairs_share", "float", "f32", "C[i] = A[i / 2];")
    one_to_one("odd_and_even", "float", "f32", "if (i % 2) C[i] = A[i] * 2; else C[i] = A[n - 1 - i] + 1;")
    one_to_one("odd_only", "float", "f32", "if (i % 2) C[i] = A[i];")
    one_to_one("early_return", "float", "f32", "if (threadIdx.x % 32 >= 20) return; C[i] = A[i];")
    one_to_one("lane_0_stores", "float", "f32", "float v = A[i]; if (threadIdx.x % 32 == 0) C[i / 32] = v;", shapes=USUAL[:3])
    one_to_one("two_stores", "float", "f32", "float v = A[i]; C[i] = v; C[i + n] = -v;", "n", "2 * n")
    one_to_one("guard_by_value", "float", "f32", "float v = A[i]; if (v > 127) C[i] = v;")
    for fields in (2, 3, 4):
        body = " ".join(f"float v{f} = A[{fields} * i + {f}];" for f in range(fields))
        body += " " + " ".join(f"C[{fields} * i + {f}] = v{f} + {f + 1};" for f in range(fields))
        one_to_one(f"aos_{fields}", "float", "f32", body, f"{fields} * n", f"{fields} * n")
    offset = kernel("const float *A, float *C, unsigned n, unsigned offset", I + "    if (i < n)\n        C[i] = A[i + offset];")
    KERNELS["offset"] = (offset, [buffer("A", "n + offset"), buffer("C", "n"), scalar("n"), scalar("offset")],
                         [dict(one, offset=k) for one, k in zip(launches((65536, 256)) * 3, (1, 11, 32))], {})
    struct = "struct particle { float x, y, z; int kind; };\n"
    KERNELS["struct_of_4"] = (
        kernel("const particle *A, float *C, unsigned n", I + "    if (i < n)\n        C[i] = A[i].x + A[i].z;", struct),
        [buffer("A", "n", "f32x4"), buffer("C", "n"), scalar("n")], launches(*USUAL), {})


def matrices():
    both = [buffer("A", "rows * columns"), buffer("C", "rows * columns"), scalar("rows"), scalar("columns")]
    wide = [buffer("A", "rows * columns", "f64"), buffer("C", "rows * columns", "f64"), *both[2:]]
    shapes = [{"rows": rows, "columns": columns, "block": block, "grid": [-(-columns // block[0]), -(-rows // block[1])]}
              for rows, columns, block in ((256, 256, [32, 8]), (131, 300, [16, 16]), (64, 1000, [64, 4]), (500, 33, [8, 32]))]
    square = [dict(one, block=[32, 32], grid=[-(-one["columns"] // 32), -(-one["rows"] // 32)]) for one in shapes]
    for name, c_type, arguments in ("f32", "float", both), ("f64", "double", wide):
        parameters = f"const {c_type} *A, {c_type} *C, unsigned rows, unsigned columns"
        KERNELS[f"transpose_naive_{name}"] = (
            kernel(parameters, XY + "    if (x < columns && y < rows)\n        C[x * rows + y] = A[y * columns + x];"), arguments, shapes, {})
        for padding in (0, 1):
            body = f"    __shared__ {c_type} tile[32][{32 + padding}];\n" + XY + """    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = A[y * columns + x];
    __syncthreads();
    unsigned u = blockIdx.x * 32 + threadIdx.y, v = blockIdx.y * 32 + threadIdx.x;
    if (u < columns && v < rows)
        C[u * rows + v] = tile[threadIdx.x][threadIdx.y];"""
            KERNELS[f"transpose_tile_{32 + padding}_{name}"] = (kernel(parameters, body), arguments, square, {})
    KERNELS["row_sums"] = (
        kernel("const float *A, float *C, unsigned rows, unsigned columns",
               I + "    if (i >= rows)\n        return;\n    float sum = 0;\n    for (unsigned j = 0; j < columns; j++)\n"
               "        sum += A[i * columns + j];\n    C[i] = sum;"),
        [buffer("A", "rows * columns"), buffer("C", "rows"), *both[2:]], [{"rows": 500, "columns": 37, "block": 128, "grid": 4}, {"rows": 77, "columns": 64, "block": 32, "grid": 3}], {})
    halo = """    __shared__ float s[18][34];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (unsigned r = threadIdx.y; r < 18; r += 16)
        for (unsigned c = threadIdx.x; c < 34; c += 32)
            s[r][c] = A[(blockIdx.y * 16 + r) * (columns + 2) + blockIdx.x * 32 + c];
    __syncthreads();
    unsigned i = threadIdx.y + 1, j = threadIdx.x + 1;
    C[y * columns + x] = s[i][j] * 4 - s[i - 1][j] - s[i + 1][j] - s[i][j - 1] - s[i][j + 1];"""
    KERNELS["halo_2d"] = (kernel("const float *A, float *C, unsigned rows, unsigned columns", halo),
                          [buffer("A", "(rows + 2) * (columns + 2)"), *both[1:]],
                          [{"rows": 64, "columns": 256, "block": [32, 16], "grid": [8, 4]}], {})
    product = [buffer("A", "n * n"), buffer("B", "n * n"), buffer("C", "n * n"), scalar("n")]
    parameters = "const float *A, const float *B, float *C, unsigned n"
    KERNELS["product_naive"] = (
        kernel(parameters, XY + "    if (x >= n || y >= n)\n        return;\n    float sum = 0;\n    for (unsigned j = 0; j < n; j++)\n"
               "        sum += A[y * n + j] * B[j * n + x];\n    C[y * n + x] = sum;"),
        product, [{"n": n, "block": [16, 16], "grid": [-(-n // 16)] * 2} for n in (96, 75, 130)], {})
    KERNELS["product_tiled"] = (
        kernel(parameters, """    __shared__ float a[16][16], b[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (unsigned m = 0; m < n; m += 16) {
        a[ty][tx] = A[y * n + m + tx];
        b[ty][tx] = B[(m + ty) * n + x];
        __syncthreads();
        for (unsigned j = 0; j < 16; j++)
            sum += a[ty][j] * b[j][tx];
        __syncthreads();
    }
    C[y * n + x] = sum;"""), product, [{"n": n, "block": [16, 16], "grid": [n // 16] * 2} for n in (96, 160, 224)], {})


def loops():
    arguments = [buffer("A", "n"), buffer("C", "n"), scalar("n")]
    parameters = "const float *A, float *C, unsigned n"
    striding = "    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n        "
    some = [{"n": n, "block": 128, "grid": grid} for n, grid in ((65536, 64), (50001, 40), (65536, 7), (1000, 3))]
    KERNELS["grid_stride"] = (kernel(parameters, striding + "C[i] = A[i] * 2;"), arguments, some, {})
    KERNELS["grid_stride_sum"] = (
        kernel(parameters, "    float sum = 0;\n" + striding + "sum += A[i];\n    C[blockIdx.x * blockDim.x + threadIdx.x] = sum;"),
        [arguments[0], buffer("C", 8192), arguments[2]], some, {})
    KERNELS["bound_by_thread"] = (
        kernel(parameters, I + "    if (i >= n)\n        return;\n    float sum = 0;\n    for (unsigned j = 0; j < threadIdx.x % 7; j++)\n"
               "        sum += A[(i + j * 32) % n];\n    C[i] = sum;"), arguments, launches((8192, 128), (5000, 64), (6001, 256)), {})
    KERNELS["bound_by_argument"] = (
        kernel("const float *A, float *C, unsigned n, unsigned turns",
               I + "    if (i >= n)\n        return;\n    float sum = 0;\n    for (unsigned j = 0; j < turns; j++)\n"
               "        sum += A[i + j * n];\n    C[i] = sum;"),
        [buffer("A", "n * turns"), *arguments[1:], scalar("turns")],
        [{"n": 4096, "turns": turns, "block": 128, "grid": 32} for turns in (1, 6, 19)], {})
    KERNELS["bound_by_data"] = (
        kernel("const unsigned *count, const float *A, float *C, unsigned n",
               I + "    if (i >= n)\n        return;\n    float sum = 0;\n    for (unsigned j = 0; j < count[i]; j++)\n"
               "        sum += A[i + j];\n    C[i] = sum;"),
        [buffer("count", "n", "u32", fill={"modulo": 5}), buffer("A", "n + 5"), *arguments[1:]], launches((8192, 128), (3000, 64)), {})
    for name, fill in ("hash", {"hash": 9000}), ("modulo", {"modulo": 100}), ("index", "index"):
        KERNELS[f"gather_{name}"] = (
            kernel("const unsigned *where, const float *A, float *C, unsigned n", I + "    if (i < n)\n        C[i] = A[where[i]];"),
            [buffer("where", "n", "u32", fill=fill), *arguments], launches((30000, 128), (65536, 256), (9999, 96)), {})
    KERNELS["scatter_hash"] = (
        kernel("const unsigned *where, const float *A, float *C, unsigned n",
               I + "    if (i < n)\n        C[where[i] * 4 + i % 4] = A[i];"),
        [buffer("where", "n", "u32", fill="index"), buffer("A", "n"), buffer("C", "4 * n"), scalar("n")], launches((30000, 128), (5001, 64)), {})


def shared():
    arguments = [buffer("A", "n"), buffer("C", "n"), scalar("n")]
    parameters = "const float *A, float *C, unsigned n"
    for stride in (1, 2, 4, 16, 17, 32):
        KERNELS[f"shared_stride_{stride}"] = (
            kernel(parameters, f"    __shared__ float s[{128 * stride}];\n" + T + I + f"    s[t * {stride}] = A[i];\n    __syncthreads();\n"
                   f"    C[i] = s[(127 - t) * {stride}];"), arguments, launches((16384, 128), (3968, 128), (65536, 128)), {})
    for c_type, kind in ("double", "f64"), ("float4", "f32x4"), ("unsigned char", "u8"), ("short", "i16"):
        KERNELS[f"shared_reversed_{kind}"] = (
            kernel(f"const {c_type} *A, {c_type} *C, unsigned n", f"    __shared__ {c_type} s[128];\n" + T + I +
                   "    s[t] = A[i];\n    __syncthreads();\n    C[i] = s[127 - t];"),
            [buffer("A", "n", kind), buffer("C", "n", kind), scalar("n")], launches((16384, 128), (3968, 128), (65536, 128)), {})
    KERNELS["shared_broadcast"] = (
        kernel(parameters, "    __shared__ float s[128];\n" + T + I + "    s[t] = A[i];\n    __syncthreads();\n    C[i] = s[t / 32] + s[5];"),
        arguments, launches((16384, 128), (3968, 128), (65536, 128)), {})
    KERNELS["shared_dynamic"] = (
        kernel(parameters, "    extern __shared__ float s[];\n" + T + I +
               "    s[t] = A[i];\n    __syncthreads();\n    C[i] = s[(t * 5 + 1) % blockDim.x];"),
        arguments, launches((16384, 128), (16384, 256)), {"shared_bytes": 1024})
    tree = "    __shared__ float s[256];\n" + T + I + "    s[t] = i < n ? A[i] : 0;\n    __syncthreads();\n"
    tail = "    if (t == 0)\n        C[blockIdx.x] = s[0];"
    few = [buffer("A", "n"), buffer("C", "ceil(n / 256)"), scalar("n")]
    steps = {"sequential": ("for (unsigned w = blockDim.x / 2; w > 0; w /= 2)", "if (t < w)\n            s[t] += s[t + w];"),
             "interleaved": ("for (unsigned w = 1; w < blockDim.x; w *= 2)", "if (t % (2 * w) == 0)\n            s[t] += s[t + w];"),
             "strided": ("for (unsigned w = 1; w < blockDim.x; w *= 2)",
                         "unsigned j = 2 * w * t;\n        if (j < blockDim.x)\n            s[j] += s[j + w];")}
    for name, (loop, step) in steps.items():
        KERNELS[f"reduction_{name}"] = (
            kernel(parameters, tree + f"    {loop} {{\n        {step}\n        __syncthreads();\n    }}\n" + tail),
            few, launches((65536, 256), (50001, 256), (1025, 256)), {})
    KERNELS["reduction_shuffle"] = (
        kernel(parameters, "    __shared__ float s[8];\n" + T + I + """    float v = i < n ? A[i] : 0;
    for (int w = 16; w > 0; w /= 2)
        v += __shfl_down_sync(0xffffffffu, v, w);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            v += s[w];
        C[blockIdx.x] = v;
    }"""), few, launches((65536, 256), (50001, 256), (1025, 256)), {})
    KERNELS["prefix_sum"] = (
        kernel(parameters, "    __shared__ float s[256];\n" + T + I + """    s[t] = A[i];
    __syncthreads();
    for (unsigned w = 1; w < 256; w *= 2) {
        float v = t >= w ? s[t - w] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    C[i] = s[t];"""), arguments, launches((16384, 256), (65536, 256)), {})


def atomics():
    keys = [buffer("A", "n", "u32", fill={"hash": 64}), buffer("C", 64, "u32", role="accumulated", fill="zero"), scalar("n")]
    parameters = "const unsigned *A, unsigned *C, unsigned n"
    KERNELS["histogram_global"] = (kernel(parameters, I + "    if (i < n)\n        atomicAdd(&C[A[i]], 1u);"), keys,
                                   launches((16384, 128), (10001, 256), (5000, 64)), {})
    KERNELS["histogram_shared"] = (
        kernel(parameters, "    __shared__ unsigned s[64];\n" + T + I + """    if (t < 64)
        s[t] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&s[A[i]], 1u);
    __syncthreads();
    if (t < 64)
        atomicAdd(&C[t], s[t]);"""), keys, launches((16384, 128), (10001, 256), (5000, 64)), {})
    KERNELS["atomic_each_its_own"] = (
        kernel("const float *A, float *C, unsigned n", I + "    if (i < n)\n        atomicAdd(&C[i], A[i]);"),
        [buffer("A", "n"), buffer("C", "n", role="accumulated", fill="zero"), scalar("n")], launches(*USUAL), {})
    KERNELS["atomic_old_value"] = (
        kernel(parameters, I + "    if (i < n)\n        C[i] = atomicMax(&C[n + i / 4], A[i]);"),
        [keys[0], buffer("C", "2 * n", "u32", role="accumulated", fill="zero"), scalar("n")], launches((16384, 128), (3968, 128), (65536, 128)), {})
    KERNELS["atomic_one_a_block"] = (
        kernel(parameters, I + "    if (i < n && threadIdx.x == 0)\n        atomicAdd(C, A[i]);"), keys, launches((16384, 128), (3968, 128), (65536, 128)), {})


def language():
    arguments = [buffer("A", "n"), buffer("C", "n"), scalar("n")]
    parameters = "const float *A, float *C, unsigned n"
    weights = {"weight": {"type": "f32", "values": [0.25, 0.5, 0.25, 1]}}
    for name, index in ("same", "0"), ("by_lane", "i % 4"):
        KERNELS[f"constant_{name}"] = (
            kernel(parameters, I + f"    if (i < n)\n        C[i] = A[i] * weight[{index}];", "__constant__ float weight[4];\n"),
            arguments, launches(*USUAL), {"constants": weights})
    scale = f"""template <typename T, int W> __global__ void scale(const T *A, T *C, unsigned n)
{{
{I}    for (int w = 0; w < W; w++)
        if (i * W + w < n)
            C[i * W + w] = A[i * W + w] * 2;
}}
"""
    KERNELS["template"] = (scale, arguments, [{"n": 40000, "block": 128, "grid": 79}, {"n": 40001, "block": 256, "grid": 40}],
                           {"entry": "scale<float, 4>", "instance": "template __global__ void scale<float, 4>(const float *, float *, unsigned);\n"})
    for name, word in ("inline", "__forceinline__"), ("called", "__noinline__"):
        before = f"__device__ {word} float fetched(const float *p, unsigned i)\n{{\n    return p[i] + p[i + 1];\n}}\n"
        KERNELS[f"device_function_{name}"] = (
            kernel(parameters, I + "    if (i < n)\n        C[i] = fetched(A, i);", before),
            [buffer("A", "n + 1"), *arguments[1:]], launches(*USUAL), {})
    KERNELS["restrict_ldg"] = (
        kernel("const float *__restrict__ A, float *__restrict__ C, unsigned n", I + "    if (i < n)\n        C[i] = __ldg(&A[i]) + A[n - 1 - i];"),
        arguments, launches(*USUAL), {})
    KERNELS["signed_and_real"] = (
        kernel("const float *A, float *C, int n, float a", "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n"
               "        C[i] = a * A[i] + C[i];"),
        [buffer("A", "n"), buffer("C", "n", role="accumulated"), scalar("n", "i32"), scalar("a", "f32")], launches(*USUAL, a=1.5), {})
    KERNELS["half"] = (kernel("const __half *A, __half *C, unsigned n", I + "    if (i < n)\n        C[i] = __hadd(A[i], A[i]);",
                              "#include <cuda_fp16.h>\n"),
                       [buffer("A", "n", "f16"), buffer("C", "n", "f16"), scalar("n")], launches(*USUAL), {})
    KERNELS["local_array"] = (
        kernel(parameters, I + "    if (i >= n)\n        return;\n    float v[8];\n    for (int j = 0; j < 8; j++)\n        v[j] = A[i] + j;\n"
               "    C[i] = v[(unsigned)A[n - 1 - i] % 8];"), arguments, launches((16384, 128), (3968, 128), (65536, 128)), {})


for make in (simple, matrices, loops, shared, atomics, language):
    make()

export default {
  "data": "blocks_row",
  "ask": {
    "kernel": "sum_matrix_2d",
    "order": ["row", "column"],
    "size": [8192, 8192],
    "block": [[32, 32], [16, 16], [256, 1], [8, 32], [1, 256]]
  },
  "small": {"size": [1024, 1024]},
  "flat": true,
  "recipe": "sum_matrix_blocks",
  "conditions": ["8192 × 8192 ints.", "8192 × 8192 个 int。"],
  "figures": {
    "r32x32": [292.416, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 32, "block_y": 32}],
    "c32x32": [1047.392, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 32, "block_y": 32}],
    "r16x16": [259.024, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 16, "block_y": 16}],
    "c16x16": [431.888, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 16, "block_y": 16}],
    "r256x1": [232.96, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 256, "block_y": 1}],
    "c256x1": [1783.952, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 256, "block_y": 1}],
    "r8x32": [284.208, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 8, "block_y": 32}],
    "c8x32": [312.912, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 8, "block_y": 32}],
    "r1x256": [1883.408, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 1, "block_y": 256}],
    "c1x256": [247.392, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 1, "block_y": 256}],
    "c256": [1, "ratio", "c256x1", "r256x1"],
    "c32": [1, "ratio", "c32x32", "r32x32"],
    "h32x32": [66.22715, 1, "blocks_row/measured_l1_hit_rate_pct", {"order": "column", "block_x": 32, "block_y": 32}],
    "h256x1": [1.937207, 1, "blocks_row/measured_l1_hit_rate_pct", {"order": "column", "block_x": 256, "block_y": 1}],
    "kr": [28.978, 3, "recipes/matrix_row_major/elapsed_ms", {"block": [32, 32]}],
    "kc": [209.57, 2, "recipes/matrix_column_major/elapsed_ms", {"block": [32, 32]}],
    "k80": [1, "ratio", "kc", "kr"],
    "f16": [49.8, 1, "recipes/sum_matrix_blocks/gld_efficiency_pct", {"block": [16, 16]}]
  },
  "picture": {
    "kind": "memory",
    "shown": 2,
    "request": {"kernel": "sum_matrix_2d", "size": [8192, 8192]},
    "titled": ["one warp", "一个线程束"],
    "controls":
      [
        {
          "name": "order",
          "label": ["lanes of a block run along", "顺序"],
          "values": ["row", "column"],
          "words": [["row order", "行序"], ["column order", "列序"]],
          "value": "row"
        },
        {
          "name": "block",
          "label": ["block", "线程块"],
          "values": [[32, 32], [16, 16], [256, 1], [8, 32], [1, 256]],
          "value": [32, 32]
        }
      ],
    "times": {
      "row,32x32": "r32x32",
      "row,16x16": "r16x16",
      "row,256x1": "r256x1",
      "row,8x32": "r8x32",
      "row,1x256": "r1x256",
      "column,32x32": "c32x32",
      "column,16x16": "c16x16",
      "column,256x1": "c256x1",
      "column,8x32": "c8x32",
      "column,1x256": "c1x256"
    },
    "base": "row,32x32",
    "baseName": ["row order, 32 × 32", "行序、32 × 32 "]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "shapes",
  "why":
    [
      [
        "Column order is limited by what is asked of the L2: a store to 32 [line|lines] is 64 messages, one that is [coalesced] is 3. That alone is 903 µs. DRAM moves the same bytes.",
        "列序的瓶颈是向 L2 的请求：写到 32 条[line]是 64 个消息，[coalesced]只要 3 个。光这一项就是 903 µs。DRAM 搬的字节是一样的。"
      ],
      [
        "**“32 to 16 has opposite effects.”** They are two things. A width of 16 splits a request along a row into two half lines (K80: transactions double, +2.0 %), and lets two rows of lanes share a line along a column (they halve, -13.6 %). A height of 16 makes smaller blocks, good along rows (-3.8 %), that use half of each line, bad along columns (+12.7 %). On a Fermi 32 × 32 leaves 16 of 48 warps' places empty, and 16 × 32 fills them: that wins more than half lines lose.",
        "**“从 32 变成 16 效果相反。”**这是两回事。宽度 16 把行序的一个请求拆成两个半行（K80：事务翻倍，+2.0 %），却让列序的两排通道共用一条缓存行（事务减半，-13.6 %）。高度 16 使块变小，行序得益（-3.8 %），但每条缓存行只用一半，列序受损（+12.7 %）。Fermi 上，32 × 32 让 48 个线程束位置空着 16 个，16 × 32 则填满：所得大于半行所失。"
      ],
      [
        "**“High throughput is an illusion.”** True where whole lines are counted: 94.7 GB/s × 49.8 % are 47.2 asked for. Since sm_50 sectors are the unit, and shapes from 8 lanes on have 100 %.",
        "**“高吞吐量是假象。”**按整条缓存行计数时成立：94.7 GB/s × 49.8 % 只有 47.2 是被请求的。sm_50 以来以扇区为单位，8 个通道以上的形状都是 100 %。"
      ]
    ],
  "intro":
    [
      [
        "Two matrices are added. In **row order** neighbouring lanes read neighbouring elements of a row. In **column order** they read elements one below the other, a whole row apart.",
        "两个矩阵相加。**行序**时，相邻通道读一行里相邻的元素；**列序**时，它们读上下相邻的元素，彼此隔着整整一行。"
      ],
      [
        "A [block] has a shape, too: 32 × 32, 256 × 1, 1 × 256 threads.",
        "[block]也有形状：32 × 32、256 × 1、1 × 256 个线程。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "What is the [efficiency] of the loads in column order, with blocks of 32 × 32?",
          "列序、线程块 32 × 32 时，读取的[efficiency]是多少？"
        ],
        "choices": ["100 %", "50 %", "25 %", "12.5 %"],
        "answer": 3,
        "set": {"order": "column", "block": [32, 32]},
        "reply": [[
          "**12.5 %**: each lane has a [sector] of its own and uses 4 of its 32 bytes.",
          "**12.5 %**：每个通道独占一个[sector]，32 字节里只用 4 字节。"
        ]]
      },
      {
        "ask": [
          "On a K80 column order took {k80} times as long. And on an H200, with the same blocks?",
          "在 K80 上，列序所用时间是行序的 {k80} 倍。在 H200 上，同样的线程块呢？"
        ],
        "scale": [1, 10, 0.1],
        "ticks": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "unit": "×",
        "answer": "c32",
        "marks": [["k80", "K80", "K80"]],
        "reply": [[
          "**{c32} times**, and {c256} times with blocks of 256 × 1. This lesson stands.",
          "**{c32} 倍**，线程块 256 × 1 时是 {c256} 倍。这一课依旧成立。"
        ]]
      },
      {
        "ask": ["Why is 256 × 1 the worse of the two in column order?", "列序时，为什么 256 × 1 更差？"],
        "choices": [
          ["its efficiency is lower", "它的效率更低"], ["nobody uses the rest of its sectors", "扇区的其余部分没有人用"]
        ],
        "answer": 1,
        "set": {"order": "column", "block": [256, 1]},
        "reply": [[
          "The efficiency is the same. Where a block is several columns wide its other warps use the rest of the sectors while they are still in the cache: {h32x32} % of L1 hits at 32 × 32. At 256 × 1 nobody does: {h256x1} %.",
          "效率是一样的。线程块若有几列宽，它的其他线程束会在扇区还在缓存里时用掉其余部分：32 × 32 的 L1 命中率是 {h32x32} %。256 × 1 时没有人用：{h256x1} %。"
        ]]
      },
      {
        "ask": ["And a block of 1 × 256, in column order?", "列序，线程块 1 × 256 呢？"],
        "choices": [["the slowest of all", "最慢"], ["nearly as fast as the best row order", "几乎和最快的行序一样快"]],
        "answer": 1,
        "set": {"order": "column", "block": [1, 256]},
        "reply": [
          [
            "“Row” and “column” are only names for which index the lanes run along. A block of 1 × 256 turns the picture over: its lanes run along y, and column order is then fast.",
            "“行”和“列”只是通道沿哪个下标走的名字。1 × 256 的线程块把情形翻了过来：它的通道沿 y 走，列序因此变快。"
          ],
          [
            "One thing has changed. A Fermi moved [line|lines] of 128 bytes, so 16 lanes in a row used half of one ({f16} %). Here 8 lanes fill a sector: 16 × 16 and even 8 × 32 have 100 %.",
            "有一点变了。Fermi 按 128 字节的[line]搬，一行 16 个通道只用到一半（{f16} %）。这里 8 个通道就填满一个扇区：16 × 16 乃至 8 × 32 都是 100 %。"
          ]
        ],
        "rows": [
          ["r32x32", "row, 32 × 32", "行序，32 × 32"], ["r16x16", "row, 16 × 16", "行序，16 × 16"],
          ["r256x1", "row, 256 × 1", "行序，256 × 1"], ["r8x32", "row, 8 × 32", "行序，8 × 32"],
          ["r1x256", "row, 1 × 256", "行序，1 × 256"], ["c32x32", "column, 32 × 32", "列序，32 × 32"],
          ["c16x16", "column, 16 × 16", "列序，16 × 16"], ["c256x1", "column, 256 × 1", "列序，256 × 1"],
          ["c8x32", "column, 8 × 32", "列序，8 × 32"], ["c1x256", "column, 1 × 256", "列序，1 × 256"]
        ]
      }
    ]
};

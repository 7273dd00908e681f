export default {
  "data": "blocks_row",
  "ask": {
    "kernel": "sum_matrix_2d",
    "order": ["row", "column"],
    "size": [8192, 8192],
    "block": [[32, 32], [16, 16], [256, 1], [128, 2], [64, 4], [8, 32], [1, 256]]
  },
  "small": {"size": [1024, 1024]},
  "flat": true,
  "recipe": "sum_matrix_blocks",
  "conditions": ["8192 × 8192 ints.", "8192 × 8192 个 int。"],
  "figures":
    {
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
      "f16": [49.8, 1, "recipes/sum_matrix_blocks/gld_efficiency_pct", {"block": [16, 16]}],
      "e_col":
        [
          12.5, 1, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "order": "column", "size": [8192, 8192], "block": [32, 32]}
        ],
      "e_row":
        [
          100.0, 0, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "order": "row", "size": [8192, 8192], "block": [16, 16]}
        ],
      "e8":
        [
          100.0, 0, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "order": "row", "size": [8192, 8192], "block": [8, 32]}
        ],
      "e64":
        [
          100.0, 0, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "order": "row", "size": [8192, 8192], "block": [64, 4]}
        ],
      "e128":
        [
          100.0, 0, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "order": "row", "size": [8192, 8192], "block": [128, 2]}
        ],
      "col_flits": [0, "worked out", "32 * 2"],
      "row_flits": [0, "worked out", "128 / 64 + 1"],
      "flit": [6.769, 2, "constants/flit_ps", {}],
      "stores": [0, "worked out", "8192 * 8192 / 32 * col_flits * flit / 1000000"],
      "kr16": [27.884, 3, "recipes/matrix_row_major/elapsed_ms", {"block": [32, 16]}],
      "kr1616": [28.452, 3, "recipes/matrix_row_major/elapsed_ms", {"block": [16, 16]}],
      "kc16": [236.29, 2, "recipes/matrix_column_major/elapsed_ms", {"block": [32, 16]}],
      "kc1616": [204.19, 2, "recipes/matrix_column_major/elapsed_ms", {"block": [16, 16]}],
      "row_height": [1, "more", "kr16", "kr"],
      "row_width": [1, "more", "kr1616", "kr16"],
      "col_height": [1, "more", "kc16", "kc"],
      "col_width": [1, "more", "kc1616", "kc16"],
      "places":
        [
          48, 0, "predicted/occupancy.max_warps_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [32, 32], "arch": "sm_20"}
        ],
      "w3232":
        [
          32, 0, "predicted/occupancy.warps_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [32, 32], "arch": "sm_20"}
        ],
      "empty": [0, "worked out", "places - w3232"],
      "through": [94.708, 1, "recipes/sum_matrix_blocks/gld_throughput_gbps", {"block": [16, 16]}],
      "asked": [1, "worked out", "through * f16 / 100"],
      "r64x4": [235.216, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 64, "block_y": 4}],
      "c64x4": [1183.456, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 64, "block_y": 4}],
      "r128x2": [233.872, 1, "blocks_row/cold_median_us", {"order": "row", "block_x": 128, "block_y": 2}],
      "c128x2": [1396.992, 1, "blocks_row/cold_median_us", {"order": "column", "block_x": 128, "block_y": 2}],
      "m64x4": [34.908, 3, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [64, 4]}],
      "m128x2": [32.688, 3, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [128, 2]}],
      "a64x4": [0.798622, 3, "recipes/sum_matrix_blocks/achieved_occupancy", {"block": [64, 4]}],
      "a128x2": [0.802598, 3, "recipes/sum_matrix_blocks/achieved_occupancy", {"block": [128, 2]}],
      "t64x4":
        [
          16777216, 0, "predicted/gld_transactions",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [64, 4], "arch": "sm_20"}
        ],
      "t128x2":
        [
          16777216, 0, "predicted/gld_transactions",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [128, 2], "arch": "sm_20"}
        ],
      "apart": [1, "more", "r64x4", "r128x2"],
      "m128x1": [32.602, 3, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [128, 1]}],
      "m256x1": [30.959, 3, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [256, 1]}],
      "n128x1":
        [
          8, 0, "predicted/occupancy.blocks_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [128, 1], "arch": "sm_20"}
        ],
      "w128x1":
        [
          32, 0, "predicted/occupancy.warps_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [128, 1], "arch": "sm_20"}
        ],
      "n256x1":
        [
          6, 0, "predicted/occupancy.blocks_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [256, 1], "arch": "sm_20"}
        ],
      "w256x1":
        [
          48, 0, "predicted/occupancy.warps_per_sm",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [256, 1], "arch": "sm_20"}
        ],
      "e96":
        [
          100.0, 0, "predicted/gld_efficiency_pct",
          {"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": [96, 2], "arch": "sm_20"}
        ]
    },
  "picture":
    {
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
            "values": [[32, 32], [16, 16], [256, 1], [128, 2], [64, 4], [8, 32], [1, 256]],
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
        "column,1x256": "c1x256",
        "row,64x4": "r64x4",
        "row,128x2": "r128x2",
        "column,64x4": "c64x4",
        "column,128x2": "c128x2"
      },
      "base": "row,32x32",
      "baseName": ["row order, 32 × 32", "行序、32 × 32 "]
    },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "shapes",
  "why":
    [
      [
        "Column order is limited by what is asked of the L2: a store to the [line|lines] of 32 lanes is {col_flits} messages, one that is [coalesced] is {row_flits}. The stores alone take {stores} µs, in 256 × 1 as in 32 × 32. DRAM moves the same bytes.",
        "列序的瓶颈是向 L2 的请求：32 个通道各写一条[line]是 {col_flits} 个消息，[coalesced]的写入只要 {row_flits} 个。光写入就要 {stores} µs，256 × 1 与 32 × 32 的块都一样。显存搬运的字节是一样的。"
      ],
      [
        "**“32 to 16 has opposite effects.”** They are two things; the figures are the change of the K80's time. A width of 16 splits a request along a row into two half lines where the L1 moves lines, as in the published runs ({row_width} %: transactions double), and lets two rows of lanes share a line along a column ({col_width} %: they halve). A height of 16 makes smaller blocks, good along rows ({row_height} %), that use half of each line, bad along columns ({col_height} %). On a Fermi 32 × 32 leaves {empty} of {places} warps' places empty, and 16 × 32 fills them: that wins more than half lines lose.",
        "**“从 32 变成 16 效果相反。”**这是两回事，括号里是 K80 上时间的变化。宽度变为 16，在 L1 按缓存行搬运时（博文的运行即如此），行序的一个请求被拆成两条缓存行、各取一半（{row_width} %，事务加倍），列序的两排通道却共用一条缓存行（{col_width} %，事务减半）。高度变为 16，块变小，对行序有利（{row_height} %）；但每条缓存行只用到一半，对列序不利（{col_height} %）。Fermi 上，32 × 32 使 {places} 个线程束位置空着 {empty} 个，16 × 32 则全部填满：所得大于半条缓存行所失。"
      ],
      [
        "**“High throughput is an illusion.”** True where whole lines are counted: {through} GB/s × {f16} % are {asked} GB/s asked for. Since sm_50, and on a K80 whose loads go past the L1, sectors are the unit, and shapes from 8 lanes on have {e8} %.",
        "**“高吞吐量是假象。”**按整条缓存行计数时成立：{through} GB/s × {f16} %，真正被请求的只有 {asked} GB/s。sm_50 以来，以及读取绕过 L1 的 K80 上，都以扇区为单位，一行有 8 个通道以上的形状都是 {e8} %。"
      ],
      [
        "**Wider than a warp.** Is a block wider than a [warp] better still? Not for the loads: once a row of lanes fills whole lines, their [efficiency] is {e64} % at 64 × 4 and {e128} % at 128 × 2, and any multiple of 32 will do: 96 × 2 has {e96} % on an sm_20, too. What a larger `blockDim.x` changes after that is the number of threads a block, and how many blocks fit.",
        "**宽于一个线程束。**线程块比一个[warp]更宽，会不会更好？读取不会再得益：一行通道既已填满整条缓存行，[efficiency]在 64 × 4 时是 {e64} %，在 128 × 2 时是 {e128} %；32 的任何整数倍都可以，96 × 2 在 sm_20 上也是 {e96} %。再加大 `blockDim.x`，改变的是每块的线程数，以及放得下多少个块。"
      ],
      [
        "**64 × 4 against 128 × 2.** The same threads a block, the same transactions (predicted for an sm_20: {t64x4} and {t128x2}), and the Fermi achieved nearly the same occupancy: {a64x4} and {a128x2}. It took {m64x4} and {m128x2} ms. What is left is that a block of 64 × 4 has pieces of four rows where 128 × 2 has pieces of two. On an H200 they take {r64x4} and {r128x2} µs, {apart} % apart.",
        "**64 × 4 与 128 × 2。**每块线程数相同，事务数相同（对 sm_20 的预测是 {t64x4} 和 {t128x2}），Fermi 上实际占用率也几乎相同：{a64x4} 和 {a128x2}。用时却是 {m64x4} 和 {m128x2} ms。剩下的差别是：64 × 4 的块碰到四行各一段，128 × 2 只碰到两行。在 H200 上两者用 {r64x4} 和 {r128x2} µs，只差 {apart} %。"
      ],
      [
        "**128 × 1 behind 256 × 1** ({m128x1} and {m256x1} ms). On that Fermi {n128x1} blocks fit a multiprocessor at most: blocks of 128 × 1 give {w128x1} of {places} warps, {n256x1} blocks of 256 × 1 give {w256x1}.",
        "**128 × 1 不如 256 × 1**（{m128x1} 和 {m256x1} ms）。那块 Fermi 的一个多处理器最多容纳 {n128x1} 个块：128 × 1 的块只有 {w128x1} 个线程束（上限 {places}），{n256x1} 个 256 × 1 的块有 {w256x1} 个。"
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
        "choices": ["100 %", "50 %", "25 %", "{e_col} %"],
        "answer": 3,
        "set": {"order": "column", "block": [32, 32]},
        "reply": [[
          "**{e_col} %**: each lane has a [sector] of its own and uses 4 of its 32 bytes.",
          "**{e_col} %**：每个通道独占一个[sector]，32 字节里只用 4 字节。"
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
          "**{c32} times**. With blocks of 256 × 1 it takes {c256} times as long as row order with blocks of 256 × 1. This lesson stands.",
          "**{c32} 倍**。线程块都为 256 × 1 时，列序是行序的 {c256} 倍。这条经验依然成立。"
        ]]
      },
      {
        "ask": ["Why is 256 × 1 the worse of the two in column order?", "列序时，为什么 256 × 1 更差？"],
        "choices":
          [
            ["its efficiency is lower", "它的效率更低"],
            ["nobody uses the rest of its sectors", "扇区的其余部分没有用上"]
          ],
        "answer": 1,
        "set": {"order": "column", "block": [256, 1]},
        "reply":
          [
            [
              "The efficiency is the same. Where a block is several columns wide its other warps use the rest of the sectors while they are still in the cache: {h32x32} % of L1 hits at 32 × 32. At 256 × 1 nobody does: {h256x1} %.", "效率是一样的。线程块如果有几列宽，其他线程束就能趁扇区还在缓存里用上其余部分：32 × 32 的 L1 命中率是 {h32x32} %。256 × 1 时没有线程束来用：{h256x1} %。"
            ]
          ]
      },
      {
        "ask": ["And a block of 1 × 256, in column order?", "列序，线程块 1 × 256 呢？"],
        "choices": [["the slowest of all", "最慢"], ["nearly as fast as the best row order", "几乎和最快的行序一样快"]],
        "answer": 1,
        "set": {"order": "column", "block": [1, 256]},
        "reply":
          [
            [
              "“Row” and “column” are only names for which index the lanes run along. A block of 1 × 256 turns the picture over: its lanes run along y, and column order is then fast.",
              "“行”和“列”只说明通道沿哪个下标排列。1 × 256 的线程块情形正好相反：它的通道沿 y 排列，列序因此变快。"
            ],
            [
              "One thing has changed. A Fermi moved [line|lines] of 128 bytes, so 16 lanes in a row used half of one ({f16} %). Here 8 lanes fill a sector: 16 × 16 has {e_row} %, and so has even 8 × 32.",
              "有一点变了。Fermi 按 128 字节的[line]搬运，一行 16 个通道只用到一半（{f16} %）。这里 8 个通道就填满一个扇区：16 × 16 的效率是 {e_row} %，连 8 × 32 也是。"
            ]
          ],
        "rows":
          [
            ["r32x32", "row, 32 × 32", "行序，32 × 32"], ["r16x16", "row, 16 × 16", "行序，16 × 16"],
            ["r256x1", "row, 256 × 1", "行序，256 × 1"], ["r128x2", "row, 128 × 2", "行序，128 × 2"],
            ["r64x4", "row, 64 × 4", "行序，64 × 4"], ["r8x32", "row, 8 × 32", "行序，8 × 32"],
            ["r1x256", "row, 1 × 256", "行序，1 × 256"], ["c32x32", "column, 32 × 32", "列序，32 × 32"],
            ["c16x16", "column, 16 × 16", "列序，16 × 16"], ["c256x1", "column, 256 × 1", "列序，256 × 1"],
            ["c8x32", "column, 8 × 32", "列序，8 × 32"], ["c1x256", "column, 1 × 256", "列序，1 × 256"]
          ]
      }
    ]
};

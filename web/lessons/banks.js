export default {
  "data": "bank_strides",
  "ask": {
    "kernel": "bank_conflict",
    "size": 16777216,
    "block": 256,
    "repeats": 16,
    "stride": [1, 2, 3, 4, 8, 16, 31, 32, 33]
  },
  "small": {"size": 262144},
  "recipe": "bank_strides",
  "conditions":
    [
      "16,777,216 floats, block 256, 16 loads from shared memory a thread.",
      "16,777,216 个 float，线程块 256，每线程读共享内存 16 次。"
    ],
  "figures": {
    "t1": [104.4, 1, "bank_strides/cold_median_us", {"stride": 1}],
    "t2": [104.096, 1, "bank_strides/cold_median_us", {"stride": 2}],
    "t3": [104.704, 1, "bank_strides/cold_median_us", {"stride": 3}],
    "t4": [154.608, 1, "bank_strides/cold_median_us", {"stride": 4}],
    "t8": [278.016, 1, "bank_strides/cold_median_us", {"stride": 8}],
    "t16": [277.44, 1, "bank_strides/cold_median_us", {"stride": 16}],
    "t31": [104.432, 1, "bank_strides/cold_median_us", {"stride": 31}],
    "t32": [277.408, 1, "bank_strides/cold_median_us", {"stride": 32}],
    "t33": [104.48, 1, "bank_strides/cold_median_us", {"stride": 33}],
    "times8": [1, "ratio", "t8", "t1"],
    "p8": [58720256, 0, "bank_strides/predicted_shared_load_bank_conflicts", {"stride": 8}],
    "q1": [408198, 0, "bank_strides/measured_shared_bank_conflicts", {"stride": 1}],
    "sh": [505.216, 1, "transpose/cold_median_us", {"how": "shared", "block_x": 32, "block_y": 32}],
    "pa": [312.672, 1, "transpose/cold_median_us", {"how": "padded", "block_x": 32, "block_y": 32}],
    "sw": [410.4, 1, "transpose/cold_median_us", {"how": "swizzled", "block_x": 32, "block_y": 32}],
    "nc": [245.152, 1, "transpose/cold_median_us", {"how": "naive_column", "block_x": 8, "block_y": 32}],
    "pb": [261.072, 1, "transpose/cold_median_us", {"how": "padded", "block_x": 32, "block_y": 8}],
    "x":
      [65011712, 0, "transpose/predicted_shared_load_bank_conflicts", {"how": "shared", "block_x": 32, "block_y": 32}],
    "y": [65590626, 0, "transpose/measured_shared_bank_conflicts", {"how": "shared", "block_x": 32, "block_y": 32}],
    "turns8": [0, "worked out", "p8 / 16777216 * 32 / 16 + 1"],
    "asked8": [0, "worked out", "32 / turns8"],
    "sms": [132, 0, "constants/sms", {}],
    "khz": [1980000, 0, "constants/clock_khz", {}],
    "turns_us": [0, "worked out", "x / sms / khz * 1000"],
    "ghz": [2, "worked out", "khz / 1000000"],
    "is":
      [
        1940288, 0, "predicted/time.bounds[name=issue].amount",
        {"kernel": "transpose", "how": "swizzled", "size": [8192, 8192], "block": [32, 32]}
      ],
    "ip":
      [
        1145088, 0, "predicted/time.bounds[name=issue].amount",
        {"kernel": "transpose", "how": "padded", "size": [8192, 8192], "block": [32, 32]}
      ],
    "instr_sw": [0, "worked out", "is * sms / 8192 / 8192 * 32"],
    "instr_pa": [0, "worked out", "ip * sms / 8192 / 8192 * 32"],
    "words": [0, "worked out", "256 / 32"]
  },
  "picture": {
    "kind": "memory",
    "access": 2,
    "only": true,
    "request": {"kernel": "bank_conflict", "size": 16777216, "block": 256, "repeats": 16},
    "controls": [{"name": "stride", "label": ["stride, words", "步长（字）"], "min": 1, "max": 33, "value": 1}],
    "times":
      {"1": "t1", "2": "t2", "3": "t3", "4": "t4", "8": "t8", "16": "t16", "31": "t31", "32": "t32", "33": "t33"},
    "base": "1",
    "baseName": ["stride 1", "步长 1 "]
  },
  "tiles": [["turns", 0], ["time", 1], ["against", 1]],
  "plain": "transpose",
  "why": [[
    "A turn at a bank is a cycle of a multiprocessor: {x} conflicts over {sms} multiprocessors at {ghz} GHz are {turns_us} µs at most. `swizzled` has none of them, but {instr_sw} instructions instead of {instr_pa}, for its remainder.",
    "存储体的一轮是一个多处理器的一个周期：{x} 次冲突分摊到 {sms} 个 {ghz} GHz 的多处理器，最多 {turns_us} µs。`swizzled` 没有冲突，但取余数使指令从 {instr_pa} 条增加到 {instr_sw} 条。"
  ]],
  "cpu":
    [
      "A CPU has no banks of shared memory: what it takes here says nothing about bank conflicts.",
      "CPU 的存储器没有这样的存储体：它在这里的用时说明不了存储体冲突。"
    ],
  "intro":
    [
      [
        "Shared memory has 32 banks, and each gives one word a turn. Lanes that want different words of one bank wait for each other: a [bank conflict].",
        "共享内存有 32 个存储体，每个存储体一次给出一个字。访问同一存储体中不同字的通道只能依次进行：这就是[bank conflict]。"
      ],
      [
        "With a [stride] of 1 the 32 lanes meet 32 banks. Now the lanes want words further apart.",
        "[stride]为 1 时，32 个通道各用一个存储体。现在让各通道访问的字隔得更远。"
      ]
    ],
  "questions":
    [
      {
        "ask": ["At stride 8, how many turns does one load of a warp take?", "步长 8 时，一个线程束的一次读取要几轮？"],
        "choices": ["1", "2", "4", "{turns8}"],
        "answer": 3,
        "set": {"stride": 8},
        "reply": [[
          "{turns8}: {asked8} of 32 banks are asked, each for {turns8} words, one after another. {p8} conflicts are predicted in all.",
          "{turns8} 轮：32 个存储体只用到 {asked8} 个，每个要依次给出 {turns8} 个字。预测共有 {p8} 次冲突。"
        ]]
      },
      {
        "ask": [
          "How many times as long does the kernel take at stride 8 as at stride 1?",
          "步长 8 时，内核所用时间是步长 1 的几倍？"
        ],
        "scale": [1, 8, 0.1],
        "ticks": [1, 2, 3, 4, 5, 6, 7, 8],
        "unit": "×",
        "answer": "times8",
        "reply": [[
          "**{times8} times**: {t8} µs against {t1}. Stride 2 takes two turns and no more time on the H200, {t2} µs, because something else in the loop takes longer.",
          "**{times8} 倍**：{t8} µs 对 {t1} µs。步长 2 要两轮，在 H200 上却不多花时间，{t2} µs，因为循环里的其他指令更费时间。"
        ]]
      },
      {
        "ask": [
          "Stride 32 puts every word into the same bank; a block of 256 has 256 words, and the index wraps. How does it compare with stride 8?",
          "步长 32 把每个字都放进同一个存储体；256 个线程的块有 256 个字，下标超出时从头开始。与步长 8 相比如何？"
        ],
        "choices": [["four times as long", "四倍的时间"], ["no worse", "不会更差"], ["better", "更好"]],
        "answer": 1,
        "set": {"stride": 32},
        "reply": [[
          "No worse: {t32} µs. A block of 256 has only {words} words that far apart, and lanes that want the same word get it together. Odd strides are free: {t33} µs at 33.",
          "不会更差：{t32} µs。256 个线程的块里相隔这么远的字只有 {words} 个，访问同一个字的通道会一次得到它。奇数步长没有代价：33 时 {t33} µs。"
        ]],
        "rows": [
          ["t1", "stride 1", "步长 1"], ["t2", "stride 2", "步长 2"], ["t3", "stride 3", "步长 3"],
          ["t4", "stride 4", "步长 4"], ["t8", "stride 8", "步长 8"], ["t16", "stride 16", "步长 16"],
          ["t31", "stride 31", "步长 31"], ["t32", "stride 32", "步长 32"], ["t33", "stride 33", "步长 33"]
        ]
      },
      {
        "ask": [
          "A transpose of 8192 × 8192 by tiles of 32 × 32 meets in one bank, too: {x} conflicts predicted, {y} counted. An unused column (`padded`), or another order (`swizzled`), removes them. Which is faster?",
          "用 32 × 32 的分块（tile）转置 8192 × 8192 的矩阵，也会集中在同一个存储体：预测 {x} 次冲突，计数 {y} 次。填充一列不用的元素（`padded`），或者换一种排列（`swizzled`），都能消除冲突。哪个更快？"
        ],
        "choices": ["padded", "swizzled", ["they are the same", "一样快"]],
        "answer": 0,
        "reply": [
          [
            "In blocks of 32 × 32 `padded` comes down from {sh} µs to {pa}, `swizzled` to {sw}: no conflict is predicted for either, but `swizzled` executes more instructions. And the fastest of the twenty variants and block shapes that were measured uses no tile: strided loads with blocks of 8 × 32, {nc} µs; the best tile, `padded` with blocks of 32 × 8, takes {pb}.",
            "线程块为 32 × 32 时，`padded` 从 {sh} µs 降到 {pa}，`swizzled` 降到 {sw}：预测两者都没有冲突，但 `swizzled` 执行的指令更多。而在测过的二十种写法与块形状里，最快的根本不用分块：线程块 8 × 32 的跨步读取，{nc} µs；用分块的写法里最好的是线程块 32 × 8 的 `padded`，要 {pb} µs。"
          ],
          [
            "Conflicts were counted, too (docs/lessons.md): more than predicted at every stride, even where there is nothing to wait for ({q1} at stride 1). So hold differences against each other.",
            "冲突也计了数（见 docs/lessons.zh.md）：每个步长都多于预测，连无须等待时也是如此（步长 1 时 {q1} 次）。所以请比较差值。"
          ]
        ]
      }
    ]
};

export default {
  "data": "cache_paths",
  "ask": {
    "kernel": "read_offset",
    "size": 67108864,
    "block": 512,
    "load": ["default", "ldg", "cg", "volatile"],
    "offset": [0, 11]
  },
  "small": {"size": 1048576},
  "recipe": "cache_paths",
  "conditions": ["67,108,864 floats, block 512.", "67,108,864 个 float，线程块 512。"],
  "figures": {
    "default0": [243.84, 1, "cache_paths/cold_median_us", {"load": "default", "offset": 0}],
    "default11": [248.464, 2, "cache_paths/cold_median_us", {"load": "default", "offset": 11}],
    "l2default": [35.33613, 1, "cache_paths/measured_l2_hit_rate_pct", {"load": "default", "offset": 11}],
    "l1default": [13.39452, 2, "cache_paths/measured_l1_hit_rate_pct", {"load": "default", "offset": 11}],
    "ldg0": [243.632, 1, "cache_paths/cold_median_us", {"load": "ldg", "offset": 0}],
    "ldg11": [248.528, 1, "cache_paths/cold_median_us", {"load": "ldg", "offset": 11}],
    "cg0": [243.504, 1, "cache_paths/cold_median_us", {"load": "cg", "offset": 0}],
    "cg11": [249.344, 2, "cache_paths/cold_median_us", {"load": "cg", "offset": 11}],
    "l2cg": [42.80645, 1, "cache_paths/measured_l2_hit_rate_pct", {"load": "cg", "offset": 11}],
    "l1cg": [0, 0, "cache_paths/measured_l1_hit_rate_pct", {"load": "cg", "offset": 11}],
    "volatile0": [243.68, 1, "cache_paths/cold_median_us", {"load": "volatile", "offset": 0}],
    "volatile11": [249.52, 1, "cache_paths/cold_median_us", {"load": "volatile", "offset": 11}],
    "more": [2, "more", "cg11", "default11"],
    "c11": [1.949, 3, "recipes/read_segment_cached/elapsed_ms", {"offset": 11}],
    "u11": [2.309, 3, "recipes/read_segment_uncached/elapsed_ms", {"offset": 11}],
    "fermi": [0, "more", "u11", "c11"],
    "fe": [49.81, 2, "recipes/read_segment_cached/gld_efficiency_pct", {"offset": 11}],
    "ue": [80, 0, "recipes/read_segment_uncached/gld_efficiency_pct", {"offset": 11}],
    "slower": [1, "more", "u11", "c11"],
    "e11":
      [
        80.0, 0, "predicted/gld_efficiency_pct", {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "ecg":
      [
        80.0, 0, "predicted/gld_efficiency_pct",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11, "load": "cg"}
      ],
    "p20":
      [
        20971516, 0, "predicted/gld_transactions",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11, "arch": "sm_20", "l1": false}
      ],
    "q20":
      [
        4194304, 0, "predicted/gld_requests",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11, "arch": "sm_20", "l1": false}
      ],
    "segments": [0, "worked out", "p20 / q20"],
    "lines": [0, "worked out", "512 / 32 + 1"],
    "by_lines": [0, "worked out", "lines * 128"],
    "by_segments": [0, "worked out", "512 / 32 * segments * 32"],
    "as_many": [2, "ratio", "by_segments", "by_lines"],
    "sb":
      [
        4096, 0, "predicted/gld_transaction_bytes",
        {"kernel": "lane_pattern", "pattern": "scattered", "arch": "sm_20", "l1": true}
      ],
    "sq":
      [1, 0, "predicted/gld_requests", {"kernel": "lane_pattern", "pattern": "scattered", "arch": "sm_20", "l1": true}],
    "scattered": [0, "worked out", "sb / sq"],
    "ub":
      [
        1024, 0, "predicted/gld_transaction_bytes",
        {"kernel": "lane_pattern", "pattern": "scattered", "arch": "sm_20", "l1": false}
      ],
    "uq":
      [
        1, 0, "predicted/gld_requests", {"kernel": "lane_pattern", "pattern": "scattered", "arch": "sm_20", "l1": false}
      ],
    "past": [0, "worked out", "ub / uq"]
  },
  "picture": {
    "kind": "memory",
    "shown": 1,
    "request": {"kernel": "read_offset", "size": 67108864, "block": 512},
    "controls":
      [
        {
          "name": "load",
          "label": ["path of the loads", "读取路径"],
          "values": ["default", "ldg", "cg", "volatile"],
          "value": "default"
        },
        {"name": "offset", "label": ["offset, elements", "偏移（元素）"], "values": [0, 11], "value": 0}
      ],
    "times": {
      "default,0": "default0",
      "default,11": "default11",
      "ldg,0": "ldg0",
      "ldg,11": "ldg11",
      "cg,0": "cg0",
      "cg,11": "cg11",
      "volatile,0": "volatile0",
      "volatile,11": "volatile11"
    },
    "base": "default,0",
    "baseName": ["the default path, offset 0", "默认路径、偏移 0 "]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "paths",
  "why":
    [
      [
        "**“Disable the L1 for misaligned loads.”** In the published tables the efficiency rises from {fe} to {ue} %, and the time by {slower} %. The warps of a block read {lines} [line|lines] of an array through the L1, {by_lines} bytes, because neighbours share one; past it each reads {segments} [sector|sectors] of its own, {by_segments} bytes in all, {as_many} times as many. The advice is right for scattered loads where the L1 moves lines (sm_20, sm_21, and sm_37 with its L1 on): a line for each lane is {scattered} bytes a request, a sector for each lane {past}. Since sm_50 a miss fetches sectors either way.",
        "**“读取未对齐时，应关闭 L1。”**在博文的表格里，效率从 {fe} % 升到 {ue} %，用时却多了 {slower} %。一个块的各线程束经过 L1 从一个数组共读 {lines} 条[line]，{by_lines} 字节，因为相邻的线程束共用一条；绕过 L1，每个线程束各取 {segments} 个[sector]，共 {by_segments} 字节，是前者的 {as_many} 倍。在 L1 以缓存行为单位的芯片上（sm_20、sm_21，以及开启 L1 的 sm_37），对分散的读取，这条建议是对的：每个通道一条缓存行，一个请求就是 {scattered} 字节；每个通道一个扇区，是 {past} 字节。sm_50 以来，未命中时取的总是扇区。"
      ],
      [
        "**“The L1 is not used since Maxwell.”** True of Maxwell and sm_61 alone, and of their global loads by default: sm_50 has no L1 for them, sm_52 and sm_61 use theirs when the compiler is asked to (`-Xptxas -dlcm=ca`). sm_60 and every chip since Volta (sm_70) load through the L1 by default. That is why the fifth sector is found there in lesson 1.",
        "**“L1 在 Maxwell 之后就不用了。”**这只适用于 Maxwell 和 sm_61，而且只是全局读取的默认行为：sm_50 的全局读取不经过 L1，sm_52 和 sm_61 要用编译选项（`-Xptxas -dlcm=ca`）才会启用。sm_60 以及 Volta（sm_70）以来的每一种芯片，读取默认都经过 L1。正因如此，第 1 课的第五个扇区才能在 L1 里命中。"
      ]
    ],
  "cpu":
    [
      "A load of a CPU cannot be told to go past the L1: what it takes here says nothing about these paths.",
      "CPU 的读取不能指定绕过 L1：它在这里的用时说明不了这些通路。"
    ],
  "intro": [[
    "In lesson 1 the fifth sector was found in the L1. A load can be told to go past it: `cg` and `volatile` do, `ldg` does not.",
    "在第 1 课里，第五个扇区是在 L1 里命中的。读取也可以绕过 L1：`cg` 和 `volatile` 会绕过，`ldg` 不会。"
  ]],
  "questions":
    [
      {
        "ask": [
          "At offset 11 the default path has {e11} % efficiency. What has `cg`, past the L1?",
          "偏移 11 时，默认路径的效率是 {e11} %。绕过 L1 的 `cg` 呢？"
        ],
        "choices": ["50 %", "{ecg} %", "100 %"],
        "answer": 1,
        "set": {"load": "cg", "offset": 11},
        "reply": [[
          "All paths have the same {ecg} %, predicted and counted. [efficiency] is what lanes ask for, not where it is found.",
          "所有路径都是 {ecg} %，预测与计数都是如此。[efficiency]说的是通道请求了什么，而不是在哪里命中。"
        ]]
      },
      {
        "ask": [
          "How much longer does offset 11 take past the L1 than through it?", "偏移 11 时，绕过 L1 比经过 L1 慢多少？"
        ],
        "scale": [0, 30, 0.5],
        "ticks": [0, 5, 10, 15, 20, 25, 30],
        "unit": "%",
        "answer": "more",
        "marks": [["fermi", "Fermi", "Fermi"]],
        "reply": [[
          "**{more} %**: {cg11} µs against {default11}. The counters show the way: {l1default} % of L1 hits become {l1cg} %, and the L2 takes over, {l2cg} % instead of {l2default} %. On the Fermi the path made {c11} ms into {u11}.",
          "**{more} %**：{cg11} µs 对 {default11} µs。计数器显示了去向：L1 命中率由 {l1default} % 变为 {l1cg} %，L2 随之从 {l2default} % 变为 {l2cg} %。在 Fermi 上，绕过 L1 使 {c11} ms 变成 {u11} ms。"
        ]],
        "rows": [
          ["default0", "default, offset 0", "default，偏移 0"], ["default11", "default, offset 11", "default，偏移 11"],
          ["ldg0", "ldg, offset 0", "ldg，偏移 0"], ["ldg11", "ldg, offset 11", "ldg，偏移 11"],
          ["cg0", "cg, offset 0", "cg，偏移 0"], ["cg11", "cg, offset 11", "cg，偏移 11"],
          ["volatile0", "volatile, offset 0", "volatile，偏移 0"],
          ["volatile11", "volatile, offset 11", "volatile，偏移 11"]
        ]
      }
    ]
};

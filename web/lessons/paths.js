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
    "default11": [248.464, 1, "cache_paths/cold_median_us", {"load": "default", "offset": 11}],
    "l2default": [35.33613, 1, "cache_paths/measured_l2_hit_rate_pct", {"load": "default", "offset": 11}],
    "l1default": [13.39452, 2, "cache_paths/measured_l1_hit_rate_pct", {"load": "default", "offset": 11}],
    "ldg0": [243.632, 1, "cache_paths/cold_median_us", {"load": "ldg", "offset": 0}],
    "ldg11": [248.528, 1, "cache_paths/cold_median_us", {"load": "ldg", "offset": 11}],
    "cg0": [243.504, 1, "cache_paths/cold_median_us", {"load": "cg", "offset": 0}],
    "cg11": [249.344, 1, "cache_paths/cold_median_us", {"load": "cg", "offset": 11}],
    "l2cg": [42.80645, 1, "cache_paths/measured_l2_hit_rate_pct", {"load": "cg", "offset": 11}],
    "l1cg": [0, 0, "cache_paths/measured_l1_hit_rate_pct", {"load": "cg", "offset": 11}],
    "volatile0": [243.68, 1, "cache_paths/cold_median_us", {"load": "volatile", "offset": 0}],
    "volatile11": [249.52, 1, "cache_paths/cold_median_us", {"load": "volatile", "offset": 11}],
    "more": [1, "more", "cg11", "default11"],
    "c11": [1.949, 3, "recipes/read_segment_cached/elapsed_ms", {"offset": 11}],
    "u11": [2.309, 3, "recipes/read_segment_uncached/elapsed_ms", {"offset": 11}],
    "fermi": [0, "more", "u11", "c11"]
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
  "why": [[
    "**“Disable the L1 for misaligned loads.”** In the published tables the efficiency rises from 49.81 to 80 %, and the time by 18.5 %. A block of 16 warps reads 17 [line|lines] of an array through the L1, 2176 bytes, because neighbours share one; past it 16 × 5 [sector|sectors], 2560 bytes, 1.18 times as many. The advice is right for scattered loads on sm_20 to sm_37 (32 lines are 4096 bytes, 32 sectors 1024). Since sm_50 a miss fetches sectors either way.",
    "**“没对齐的读取应当关掉 L1。”**在公开的表格里，效率从 49.81 升到 80 %，时间却多了 18.5 %。16 个线程束的块，经过 L1 从一个数组读 17 条[line]，2176 字节，因为相邻的共用一条；绕过 L1 是 16 × 5 个[sector]，2560 字节，1.18 倍。对 sm_20 到 sm_37 上分散的读取，这条建议是对的（32 条缓存行是 4096 字节，32 个扇区是 1024）。sm_50 以来，未命中时取的总是扇区。"
  ]],
  "intro": [[
    "In lesson 1 the L1 found the fifth sector. A load can be told to go past it: `cg` and `volatile` do, `ldg` does not.",
    "在第 1 课里，第五个扇区是在 L1 里找到的。读取也可以绕过 L1：`cg` 和 `volatile` 会绕过，`ldg` 不会。"
  ]],
  "questions":
    [
      {
        "ask": [
          "At offset 11 the default path has 80 % efficiency. What has `cg`, past the L1?",
          "偏移 11 时，默认路径的效率是 80 %。绕过 L1 的 `cg` 呢？"
        ],
        "choices": ["50 %", "80 %", "100 %"],
        "answer": 1,
        "set": {"load": "cg", "offset": 11},
        "reply": [[
          "All paths have the same 80 %, predicted and counted. [efficiency] is what lanes ask for, not where it is found.",
          "所有路径都是 80 %，预测如此，计数也如此。[efficiency]说的是通道请求了什么，而不是在哪里找到。"
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
          "**{more} %**：{cg11} µs 对 {default11} µs。计数器显示了去向：L1 命中率由 {l1default} % 变为 {l1cg} %，L2 接了过去，由 {l2default} % 变为 {l2cg} %。在 Fermi 上，这条路径让 {c11} ms 变成 {u11} ms。"
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

export default {
  "data": "latency_by_footprint",
  "ask": {
    "kernel": "pointer_chase",
    "steps": 4096,
    "block": 32,
    "size": [1024, 4096, 16384, 32768, 49152, 262144, 268435456],
    "measure": {"max_seconds": 0.5}
  },
  "small": {"size": [1024, 4096, 16384, 32768, 49152, 262144]},
  "recipe": "latency_by_footprint",
  "conditions": ["One thread, a chain of 4096 loads.", "一个线程，一条 4096 次读取的链。"],
  "figures": {
    "c1024": [109.824, 1, "latency_by_footprint/cold_median_us", {"size_elements": 1024}, 0.244140625],
    "h1024": [24.05636, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 1024}],
    "c4096": [198.544, 1, "latency_by_footprint/cold_median_us", {"size_elements": 4096}, 0.244140625],
    "h4096": [35.61084, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 4096}],
    "c16384": [532.88, 1, "latency_by_footprint/cold_median_us", {"size_elements": 16384}, 0.244140625],
    "h16384": [82.22526, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 16384}],
    "c32768": [940.416, 1, "latency_by_footprint/cold_median_us", {"size_elements": 32768}, 0.244140625],
    "h32768": [134.3359, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 32768}],
    "c49152": [1160.048, 1, "latency_by_footprint/cold_median_us", {"size_elements": 49152}, 0.244140625],
    "h49152": [144.5117, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 49152}],
    "c262144": [1373.584, 1, "latency_by_footprint/cold_median_us", {"size_elements": 262144}, 0.244140625],
    "h262144": [145.2109, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 262144}],
    "c268435456": [1378.992, 1, "latency_by_footprint/cold_median_us", {"size_elements": 268435456}, 0.244140625],
    "h268435456": [146.3138, 1, "latency_by_footprint/hot_ns_per_operation", {"size_elements": 268435456}],
    "queue": [0.9786, 2, "constants/queue", {}],
    "busy": [2, "worked out", "queue + 1"],
    "kb": [0, "worked out", "4096 * 32 / 1024"],
    "dram": [346.0, 0, "constants/dram_latency_ns", {}],
    "l2": [149.4, 0, "constants/l2_latency_ns", {}]
  },
  "picture": {
    "kind": "memory",
    "shown": 3,
    "request": {"kernel": "pointer_chase", "steps": 4096, "block": 32},
    "opens": -1,
    "titled": ["the first loads of the chain", "链上最初的几次读取"],
    "unit": "ns",
    "controls": [{
      "name": "size",
      "label": ["footprint", "数据量"],
      "values": [1024, 4096, 16384, 32768, 49152, 262144, 268435456],
      "words": [
        ["4 KB", "4 KB"], ["16 KB", "16 KB"], ["64 KB", "64 KB"], ["128 KB", "128 KB"], ["192 KB", "192 KB"],
        ["1 MB", "1 MB"], ["1 GB", "1 GB"]
      ],
      "value": 1024
    }],
    "times": {
      "1024": "c1024",
      "4096": "c4096",
      "16384": "c16384",
      "32768": "c32768",
      "49152": "c49152",
      "262144": "c262144",
      "268435456": "c268435456"
    },
    "base": "1024",
    "baseName": ["4 KB", " 4 KB "]
  },
  "tiles": [["time", 0], ["against", 0]],
  "plain": "footprint",
  "why": [[
    "The model of time takes {dram} ns for a load from memory and {l2} ns for one from the L2, from chains over larger arrays. Every wait begins with that; a busy memory makes it up to {busy} times as long.",
    "时间模型取显存 {dram} ns、L2 {l2} ns，由更大数组上的链测得。每一次等待都从这里算起；显存繁忙时，最多延长到 {busy} 倍。"
  ]],
  "intro":
    [
      [
        "One thread follows a chain: each load says where the next one is. Nothing hides the wait, so the time over the number of loads is the latency of one.",
        "一个线程沿着一条链读取：每次读到的内容是下一次的位置。没有别的工作可以掩盖等待，所以总时间除以读取次数，就是一次读取的延迟。"
      ],
      [
        "4096 loads, all over an array of some size: its footprint. No table was published for this one.",
        "4096 次读取分散在整个数组里，数组的大小就是它的数据量。这一课没有博文的表格。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "How long does a load take over 1 GB, with nothing in the caches?",
          "数据量 1 GB、缓存清空时，一次读取要多久？"
        ],
        "scale": [0, 1000, 10],
        "ticks": [0, 200, 400, 600, 800, 1000],
        "unit": "ns",
        "answer": "c268435456",
        "set": {"size": 268435456},
        "reply": [[
          "**{c268435456} ns**, from memory. A load that finds its word in the L1 takes about {h1024} ns or less, one that finds it in the L2 about {h262144}.",
          "**{c268435456} ns**，来自显存。在 L1 里命中约需 {h1024} ns 或更少，在 L2 里命中约需 {h262144} ns。"
        ]]
      },
      {
        "ask": ["And over 1 GB again, launch after launch (hot)?", "还是 1 GB，但一次接一次地启动（热）呢？"],
        "choices": [["as long: 1 GB fits no cache", "一样长：1 GB 放不进任何缓存"], ["much shorter", "短得多"]],
        "answer": 1,
        "reply": [
          [
            "{h268435456} ns, as from the L2. Read the axes with care: 4096 loads touch at most 4096 sectors, {kb} KB, however large the footprint is. In a hot run they are all in the L2. The cold run is the one that shows memory.",
            "{h268435456} ns，与 L2 相同。看坐标时要当心：不论数据量多大，4096 次读取至多碰到 4096 个扇区，即 {kb} KB。热启动时它们都在 L2 里，只有冷启动才显出显存的延迟。"
          ],
          [
            "The rise from 4 KB to {kb} KB is a mixture, even in a hot run: the first visit to a sector comes from further away than the L1, the next ones come from the L1.",
            "从 4 KB 到 {kb} KB 的上升，即使在热启动时也是混合的结果：第一次访问一个扇区，数据来自比 L1 更远的地方，以后才来自 L1。"
          ]
        ],
        "rowsUnit": "ns",
        "rows": [
          ["c1024", "4 KB, cold", "4 KB，冷"], ["c4096", "16 KB, cold", "16 KB，冷"],
          ["c16384", "64 KB, cold", "64 KB，冷"], ["c32768", "128 KB, cold", "128 KB，冷"],
          ["c49152", "192 KB, cold", "192 KB，冷"], ["c262144", "1 MB, cold", "1 MB，冷"],
          ["c268435456", "1 GB, cold", "1 GB，冷"], ["h1024", "4 KB, hot", "4 KB，热"],
          ["h4096", "16 KB, hot", "16 KB，热"], ["h16384", "64 KB, hot", "64 KB，热"],
          ["h32768", "128 KB, hot", "128 KB，热"], ["h49152", "192 KB, hot", "192 KB，热"],
          ["h262144", "1 MB, hot", "1 MB，热"], ["h268435456", "1 GB, hot", "1 GB，热"]
        ]
      }
    ]
};

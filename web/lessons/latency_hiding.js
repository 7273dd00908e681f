export default {
  "data": "latency_hiding",
  "ask": {
    "kernel": "ilp_chain",
    "dtype": "f32",
    "size": 540672,
    "block": 128,
    "steps": 4096,
    "chains": [1, 2, 4, 8],
    "shared_bytes": [0, 28672, 57344, 115712, 231424]
  },
  "small": {"size": 1024, "steps": 256},
  "recipe": "latency_hiding",
  "conditions": ["540,672 threads, 4096 steps each, block 128, f32.", "540,672 个线程，各 4096 步，线程块 128，f32。"],
  "figures": {
    "c1_0": [26333.27, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 0}, 0.001],
    "c2_0": [29670.0, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 0}, 0.001],
    "c4_0": [30239.45, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 0}, 0.001],
    "c8_0": [28566.54, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 0}, 0.001],
    "c1_28672": [26384.89, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 28672}, 0.001],
    "c2_28672": [29659.19, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 28672}, 0.001],
    "c4_28672": [30398.85, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 28672}, 0.001],
    "c8_28672": [29280.13, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 28672}, 0.001],
    "c1_57344": [23991.82, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 57344}, 0.001],
    "c2_57344": [29473.2, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 57344}, 0.001],
    "c4_57344": [29704.38, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 57344}, 0.001],
    "c8_57344": [29169.31, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 57344}, 0.001],
    "c1_115712": [14087.58, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 115712}, 0.001],
    "c2_115712": [26054.03, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 115712}, 0.001],
    "c4_115712": [31007.32, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 115712}, 0.001],
    "c8_115712": [30174.3, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 115712}, 0.001],
    "c1_231424": [7163.59, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 231424}, 0.001],
    "c2_231424": [14096.06, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 231424}, 0.001],
    "c4_231424": [26188.98, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 231424}, 0.001],
    "c8_231424": [23859.86, 1, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 231424}, 0.001],
    "times": [1, "ratio", "c4_231424", "c1_231424"]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"kernel": "ilp_chain", "dtype": "f32", "size": 540672, "block": 128, "steps": 4096},
    "opens": -1,
    "titled": ["what fits a multiprocessor", "一个多处理器放得下什么"],
    "unit": "Top/s",
    "controls":
      [
        {"name": "chains", "label": ["chains a thread", "每线程的链数"], "values": [1, 2, 4, 8], "value": 1}, {
          "name": "shared_bytes",
          "label": ["shared memory that a block takes, bytes", "每块占用的共享内存（字节）"],
          "values": [0, 28672, 57344, 115712, 231424],
          "value": 0
        }
      ],
    "times": {
      "1,0": "c1_0",
      "1,28672": "c1_28672",
      "1,57344": "c1_57344",
      "1,115712": "c1_115712",
      "1,231424": "c1_231424",
      "2,0": "c2_0",
      "2,28672": "c2_28672",
      "2,57344": "c2_57344",
      "2,115712": "c2_115712",
      "2,231424": "c2_231424",
      "4,0": "c4_0",
      "4,28672": "c4_28672",
      "4,57344": "c4_57344",
      "4,115712": "c4_115712",
      "4,231424": "c4_231424",
      "8,0": "c8_0",
      "8,28672": "c8_28672",
      "8,57344": "c8_57344",
      "8,115712": "c8_115712",
      "8,231424": "c8_231424"
    },
    "base": "1,0",
    "baseName": ["one chain, full occupancy", "一条链、满占用率"]
  },
  "tiles": [["occupancy", -1], ["time", 1], ["against", 1]],
  "plain": "latency_hiding",
  "why": [[
    "Warps needed = latency in cycles × warps that issue in a cycle: 4 × 4 = 16 here, an [occupancy] of 0.25. For sm_30 it is 11 × 4 = 44, not the 22 of the posts: its 8 instructions a cycle are four pairs, each of one [warp].",
    "所需线程束数 = 以周期计的延迟 × 每周期能发射的线程束数：这里 4 × 4 = 16，[occupancy] 0.25。sm_30 是 11 × 4 = 44，不是博文说的 22：它每周期的 8 条指令是四对，每对来自一个[warp]。"
  ]],
  "intro":
    [
      [
        "A thread adds, and each addition waits for the one before: a chain. Other warps can use the time meanwhile. So can a second chain in the same thread, which does not depend on the first.",
        "一个线程做加法，每次加法都要等前一次：这是一条链。等待时，其他线程束可以利用这段时间；同一线程里与之无关的第二条链也可以。"
      ],
      [
        "No table was published for this one. Speeds are 10¹² additions a second.",
        "这一课没有公开的表格。速度的单位是每秒 10¹² 次加法。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "At an [occupancy] of 0.0625 one chain does {c1_231424} · 10¹² additions a second. How many times as many do four chains?",
          "[occupancy] 0.0625 时，一条链每秒做 {c1_231424} · 10¹² 次加法。四条链是它的几倍？"
        ],
        "scale": [1, 5, 0.1],
        "ticks": [1, 2, 3, 4, 5],
        "unit": "×",
        "answer": "times",
        "set": {"chains": 4, "shared_bytes": 231424},
        "reply": [[
          "**{times} times**: {c4_231424}. Two chains do {c2_231424}.",
          "**{times} 倍**：{c4_231424}。两条链是 {c2_231424}。"
        ]]
      },
      {
        "ask": [
          "One chain needs which occupancy to do as much as four chains at 0.0625?",
          "一条链要多高的占用率，才抵得上 0.0625 时的四条链？"
        ],
        "choices": ["0.125", "0.25", "0.4375", "1"],
        "answer": 2,
        "set": {"chains": 1, "shared_bytes": 28672},
        "reply": [[
          "0.4375, for {c1_28672}; 0.125 gives {c1_115712}. Half the warps with twice the chains is the same. The arithmetic has the same rule as the memory: something independent must be there to do, from wherever.",
          "0.4375，得 {c1_28672}；0.125 得 {c1_115712}。线程束减半、链加倍，结果一样。运算与访存遵循同一规律：总要有互不依赖的事可做，来自哪里都行。"
        ]],
        "rowsUnit": "Top/s",
        "rows": [
          ["c1_0", "1 chain, occupancy 1", "1 条链，占用率 1"], ["c2_0", "2 chains, occupancy 1", "2 条链，占用率 1"],
          ["c4_0", "4 chains, occupancy 1", "4 条链，占用率 1"],
          ["c1_28672", "1 chain, occupancy 0.4375", "1 条链，占用率 0.4375"],
          ["c2_28672", "2 chains, occupancy 0.4375", "2 条链，占用率 0.4375"],
          ["c4_28672", "4 chains, occupancy 0.4375", "4 条链，占用率 0.4375"],
          ["c1_115712", "1 chain, occupancy 0.125", "1 条链，占用率 0.125"],
          ["c2_115712", "2 chains, occupancy 0.125", "2 条链，占用率 0.125"],
          ["c4_115712", "4 chains, occupancy 0.125", "4 条链，占用率 0.125"],
          ["c1_231424", "1 chain, occupancy 0.0625", "1 条链，占用率 0.0625"],
          ["c2_231424", "2 chains, occupancy 0.0625", "2 条链，占用率 0.0625"],
          ["c4_231424", "4 chains, occupancy 0.0625", "4 条链，占用率 0.0625"]
        ]
      }
    ]
};

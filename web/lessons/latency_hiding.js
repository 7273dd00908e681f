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
    "c1_231424": [7163.59, 2, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 1, "shared_bytes": 231424}, 0.001],
    "c2_231424": [14096.06, 2, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 2, "shared_bytes": 231424}, 0.001],
    "c4_231424": [26188.98, 2, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 4, "shared_bytes": 231424}, 0.001],
    "c8_231424": [23859.86, 2, "latency_hiding/hot_gops", {"dtype": "f32", "chains": 8, "shared_bytes": 231424}, 0.001],
    "times": [1, "ratio", "c4_231424", "c1_231424"],
    "o0": [1.0, 0, "latency_hiding/theoretical_occupancy", {"dtype": "f32", "chains": 1, "shared_bytes": 0}],
    "o28672": [0.4375, 4, "latency_hiding/theoretical_occupancy", {"dtype": "f32", "chains": 1, "shared_bytes": 28672}],
    "o57344": [0.25, 2, "latency_hiding/theoretical_occupancy", {"dtype": "f32", "chains": 1, "shared_bytes": 57344}],
    "o115712":
      [0.125, 3, "latency_hiding/theoretical_occupancy", {"dtype": "f32", "chains": 1, "shared_bytes": 115712}],
    "o231424":
      [0.0625, 4, "latency_hiding/theoretical_occupancy", {"dtype": "f32", "chains": 1, "shared_bytes": 231424}],
    "w90":
      [16, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_90"}],
    "w30":
      [44, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_30"}],
    "w20":
      [22, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_20"}],
    "w21":
      [22, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_21"}],
    "most": [64, 0, "predicted/occupancy.max_warps_per_sm", {"kernel": "copy", "block": 128, "arch": "sm_90"}],
    "need": [2, "worked out", "w90 / most"]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"kernel": "ilp_chain", "dtype": "f32", "size": 540672, "block": 128, "steps": 4096},
    "opens": -1,
    "titled": ["what fits a multiprocessor of an H200", "H200 的一个多处理器放得下什么"],
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
    "Warps needed = latency in cycles × warps that issue in a cycle: {w90} here, an [occupancy] of {need}. For sm_20 and sm_21, two warps in two cycles, it is the {w20} and {w21} of the posts. For sm_30, four warps in every cycle, it is {w30} and not {w20}: its eight instructions a cycle are four pairs, each pair of one [warp].",
    "所需线程束数 = 以周期计的延迟 × 每周期能发射的线程束数：这里是 {w90} 个，[occupancy]为 {need}。sm_20 和 sm_21 每两个周期从两个线程束发射，需要 {w20} 和 {w21} 个，与博文一致。sm_30 每个周期从四个线程束发射，需要 {w30} 个而不是 {w20} 个：它每周期的八条指令是四对，每对来自同一个[warp]。"
  ]],
  "cpu":
    [
      "A CPU does not hide its waits by other warps: what it takes here says nothing about occupancy.",
      "CPU 不靠其他线程束隐藏等待：它在这里的用时说明不了占用率。"
    ],
  "intro":
    [
      [
        "A thread adds, and each addition waits for the one before: a chain. Other warps can use the time meanwhile. So can a second chain in the same thread, which does not depend on the first.",
        "一个线程做加法，每次加法都要等前一次的结果：这是一条链。等待期间，其他线程束可以继续执行；同一线程里与它无关的第二条链也可以。"
      ],
      [
        "No table was published for this one. Speeds are trillions of additions a second.",
        "这一课没有博文的表格。速度的单位是每秒万亿次加法。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "At an [occupancy] of {o231424} one chain does {c1_231424} trillion additions a second. How many times as many do four chains?",
          "[occupancy]为 {o231424} 时，一条链每秒做 {c1_231424} 万亿次加法。四条链是它的几倍？"
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
          "Which occupancy does one chain need to do as much as four chains at {o231424}?",
          "一条链要多高的占用率，才比得上占用率 {o231424} 时的四条链？"
        ],
        "choices": ["{o115712}", "{o57344}", "{o28672}", "{o0}"],
        "answer": 2,
        "set": {"chains": 1, "shared_bytes": 28672},
        "reply": [[
          "{o28672}, for {c1_28672}. Four times the warps ({o57344}) with one chain have as many independent additions as four chains, and give {c1_57344}, a little less. Further below the limit twice the warps and twice the chains are the same: {c1_115712} and {c2_231424}. The arithmetic has the same rule as the memory: something independent must be there to do, from wherever.",
          "{o28672}，此时是 {c1_28672}。线程束增加到四倍（{o57344}）、一条链，与四条链有同样多互不依赖的加法，得到 {c1_57344}，略少一些。离上限更远时，线程束加倍与链数加倍效果相同：{c1_115712} 和 {c2_231424}。运算与访存遵循同一条规律：总要有互不依赖的指令可发射，来自哪里都行。"
        ]],
        "rowsUnit": "Top/s",
        "rows": [
          ["c1_0", "one chain, occupancy {o0}", "一条链，占用率 {o0}"],
          ["c2_0", "two chains, occupancy {o0}", "两条链，占用率 {o0}"],
          ["c1_28672", "one chain, occupancy {o28672}", "一条链，占用率 {o28672}"],
          ["c2_28672", "two chains, occupancy {o28672}", "两条链，占用率 {o28672}"],
          ["c4_28672", "four chains, occupancy {o28672}", "四条链，占用率 {o28672}"],
          ["c1_57344", "one chain, occupancy {o57344}", "一条链，占用率 {o57344}"],
          ["c1_115712", "one chain, occupancy {o115712}", "一条链，占用率 {o115712}"],
          ["c2_115712", "two chains, occupancy {o115712}", "两条链，占用率 {o115712}"],
          ["c4_115712", "four chains, occupancy {o115712}", "四条链，占用率 {o115712}"],
          ["c1_231424", "one chain, occupancy {o231424}", "一条链，占用率 {o231424}"],
          ["c2_231424", "two chains, occupancy {o231424}", "两条链，占用率 {o231424}"],
          ["c4_231424", "four chains, occupancy {o231424}", "四条链，占用率 {o231424}"]
        ]
      }
    ]
};

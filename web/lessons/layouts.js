export default {
  "data": "layouts",
  "ask": {"kernel": ["aos", "aos_aligned", "soa"], "size": 33554432, "block": [64, 128, 256, 512]},
  "small": {"size": 1048576},
  "recipe": "layouts",
  "conditions": ["33,554,432 pairs of floats.", "33,554,432 对 float。"],
  "figures": {
    "aos_64": [318.784, 1, "layouts/cold_median_us", {"kernel": "aos", "block_x": 64}],
    "aos_128": [162.224, 1, "layouts/cold_median_us", {"kernel": "aos", "block_x": 128}],
    "aos_256": [137.04, 1, "layouts/cold_median_us", {"kernel": "aos", "block_x": 256}],
    "aos_512": [141.52, 1, "layouts/cold_median_us", {"kernel": "aos", "block_x": 512}],
    "aos_aligned_64": [318.56, 1, "layouts/cold_median_us", {"kernel": "aos_aligned", "block_x": 64}],
    "aos_aligned_128": [162.352, 1, "layouts/cold_median_us", {"kernel": "aos_aligned", "block_x": 128}],
    "aos_aligned_256": [136.832, 1, "layouts/cold_median_us", {"kernel": "aos_aligned", "block_x": 256}],
    "aos_aligned_512": [141.2, 1, "layouts/cold_median_us", {"kernel": "aos_aligned", "block_x": 512}],
    "soa_64": [318.624, 1, "layouts/cold_median_us", {"kernel": "soa", "block_x": 64}],
    "soa_128": [162.624, 1, "layouts/cold_median_us", {"kernel": "soa", "block_x": 128}],
    "soa_256": [142.304, 1, "layouts/cold_median_us", {"kernel": "soa", "block_x": 256}],
    "soa_512": [147.456, 1, "layouts/cold_median_us", {"kernel": "soa", "block_x": 512}],
    "more": [1, "more", "aos_256", "soa_256"],
    "hits": [49.70585, 1, "layouts/measured_l1_hit_rate_pct", {"kernel": "aos", "block_x": 256}],
    "ra": [2097152, 0, "layouts/measured_gld_requests", {"kernel": "aos", "block_x": 256}],
    "rb": [1048576, 0, "layouts/measured_gld_requests", {"kernel": "aos_aligned", "block_x": 256}],
    "pa": [0.286, 3, "recipes/aos_soa/elapsed_ms", {"kernel": "aos"}],
    "ps": [0.2, 1, "recipes/aos_soa/elapsed_ms", {"kernel": "soa"}],
    "fermi": [0, "more", "pa", "ps"]
  },
  "picture": {
    "kind": "memory",
    "request": {"size": 33554432},
    "shown": 4,
    "controls":
      [
        {"name": "kernel", "label": ["layout", "布局"], "values": ["aos", "aos_aligned", "soa"], "value": "soa"},
        {"name": "block", "label": ["threads a block", "每块线程数"], "values": [64, 128, 256, 512], "value": 256}
      ],
    "times": {
      "aos,64": "aos_64",
      "aos,128": "aos_128",
      "aos,256": "aos_256",
      "aos,512": "aos_512",
      "aos_aligned,64": "aos_aligned_64",
      "aos_aligned,128": "aos_aligned_128",
      "aos_aligned,256": "aos_aligned_256",
      "aos_aligned,512": "aos_aligned_512",
      "soa,64": "soa_64",
      "soa,128": "soa_128",
      "soa,256": "soa_256",
      "soa,512": "soa_512"
    },
    "base": "soa,256",
    "baseName": ["soa, block 256", "soa、块 256 "],
    "titled": ["one warp", "一个线程束"]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "layouts",
  "why": [[
    "DRAM moves the same bytes (120 µs), and the rounds are the same (latency, 124 µs). What the 50 % cost is what is asked of the L2: `aos` stores each [line] twice, half of it each time, 99 µs instead of 57. That is not the largest.",
    "DRAM 搬的字节一样（120 µs），轮数也一样（延迟，124 µs）。这 50 % 的代价落在向 L2 的请求上：`aos` 把每条[line]写两次，每次写一半，99 µs 对 57。它不是最大的。"
  ]],
  "intro":
    [
      [
        "Pairs of two numbers can lie in memory in two ways: as an **array of structures** (`aos`: x y x y x y), or as a **structure of arrays** (`soa`: x x x, and elsewhere y y y).",
        "一对对的数可以有两种放法：**结构数组**（`aos`：x y x y x y），或**数组结构**（`soa`：x x x，另一处 y y y）。"
      ],
      [
        "The kernel reads x of all pairs, then y of all pairs, and uses both. `aos_aligned` reads a pair in one access of 8 bytes.",
        "内核先读所有的 x，再读所有的 y，两者都要用。`aos_aligned` 用一次 8 字节的访问读取一对。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "What is the [efficiency] of `aos`, which loads x alone and then y alone?",
          "`aos` 先只读 x、再只读 y，它的[efficiency]是多少？"
        ],
        "choices": ["25 %", "50 %", "75 %", "100 %"],
        "answer": 1,
        "set": {"kernel": "aos"},
        "reply": [[
          "**50 %**: a warp's 32 words lie 8 bytes apart, in eight sectors instead of four, and every other word of them is not asked for. Counted and predicted.",
          "**50 %**：一个线程束的 32 个字彼此相隔 8 字节，落在八个而不是四个扇区里，每隔一个字没有被请求。预测如此，计数也如此。"
        ]]
      },
      {
        "ask": [
          "On a Fermi `aos` took {fermi} % longer than `soa`. And on an H200, at block 256?",
          "在 Fermi 上，`aos` 比 `soa` 慢 {fermi} %。在 H200 上，线程块 256 时呢？"
        ],
        "scale": [-20, 60, 1],
        "ticks": [-20, 0, 20, 40, 60],
        "unit": "%",
        "answer": "more",
        "marks": [["fermi", "Fermi", "Fermi"]],
        "reply": [[
          "**It is no longer slower**: {aos_256} µs against {soa_256}. The kernel uses both fields, so the second load finds in the L1 what the first one brought ({hits} % hits).",
          "**不再更慢**：{aos_256} µs 对 {soa_256} µs。内核两个字段都用，第二次读取在 L1 里找到了第一次搬来的数据（命中率 {hits} %）。"
        ]],
        "rows": [
          ["aos_256", "aos, block 256", "aos，块 256"], ["aos_aligned_256", "aos_aligned", "aos_aligned"],
          ["soa_256", "soa", "soa"]
        ]
      },
      {
        "ask": [
          "`aos_aligned` needs half of the requests ({rb} instead of {ra}) and half of the sectors. What does that bring?",
          "`aos_aligned` 只需一半的请求（{rb} 而不是 {ra}）和一半的扇区。好处是什么？"
        ],
        "choices": [["half of the time", "时间减半"], ["some per cent", "快百分之几"], ["nothing", "没有好处"]],
        "answer": 2,
        "set": {"kernel": "aos_aligned"},
        "reply": [[
          "The time is the same: {aos_aligned_256} µs against {aos_256}. This does not say that layouts never matter: a kernel that needs one field of many still pays for what it does not use. See lesson 11, where the rest of the sectors is never asked for.",
          "时间一样：{aos_aligned_256} µs 对 {aos_256} µs。这并不是说布局从不重要：只需要众多字段之一的内核，仍要为用不到的数据付出代价。见第 11 课，那里扇区的其余部分从未被请求。"
        ]]
      }
    ]
};

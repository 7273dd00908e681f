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
    "wa": [145.0141, 1, "predicted/time.predicted_us", {"kernel": "aos", "size": 33554432, "block": 256}],
    "ws": [139.5227, 1, "predicted/time.predicted_us", {"kernel": "soa", "size": 33554432, "block": 256}],
    "hits": [49.70585, 1, "layouts/measured_l1_hit_rate_pct", {"kernel": "aos", "block_x": 256}],
    "ra": [2097152, 0, "layouts/measured_gld_requests", {"kernel": "aos", "block_x": 256}],
    "rb": [1048576, 0, "layouts/measured_gld_requests", {"kernel": "aos_aligned", "block_x": 256}],
    "pa": [0.286, 3, "recipes/aos_soa/elapsed_ms", {"kernel": "aos"}],
    "ps": [0.2, 1, "recipes/aos_soa/elapsed_ms", {"kernel": "soa"}],
    "fermi": [0, "more", "pa", "ps"],
    "e_aos": [50.0, 0, "predicted/gld_efficiency_pct", {"kernel": "aos", "size": 33554432, "block": 256}],
    "dram_us": [119.8171, 0, "predicted/time.bounds[name=dram].us", {"kernel": "aos", "size": 33554432, "block": 256}],
    "lat_aos":
      [116.9997, 0, "predicted/time.bounds[name=latency].us", {"kernel": "aos", "size": 33554432, "block": 256}],
    "lat_soa":
      [115.8902, 0, "predicted/time.bounds[name=latency].us", {"kernel": "soa", "size": 33554432, "block": 256}],
    "ask_aos": [99.36935, 0, "predicted/time.bounds[name=ask].us", {"kernel": "aos", "size": 33554432, "block": 256}],
    "ask_soa": [56.78249, 0, "predicted/time.bounds[name=ask].us", {"kernel": "soa", "size": 33554432, "block": 256}],
    "fl": [8388608, 0, "predicted/gld_moved_bytes", {"kernel": "soa", "size": 1048576, "block": 128, "arch": "sm_20"}],
    "fsa":
      [16777216, 0, "predicted/gst_moved_bytes", {"kernel": "aos", "size": 1048576, "block": 128, "arch": "sm_20"}],
    "fss": [8388608, 0, "predicted/gst_moved_bytes", {"kernel": "soa", "size": 1048576, "block": 128, "arch": "sm_20"}],
    "both": [0, "worked out", "fl + fss"],
    "way": [1, "ratio", "moved_aos", "both"],
    "moved_aos": [0, "worked out", "fl + fsa"],
    "faster": [2, "ratio", "pa", "ps"]
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
    "baseName": ["soa, block 256", " soa、块 256 "],
    "titled": ["one warp", "一个线程束"]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "layouts",
  "why":
    [
      [
        "DRAM moves the same bytes ({dram_us} µs), and the rounds are the same (latency, {lat_aos} and {lat_soa} µs). What the {e_aos} % cost is what is asked of the L2: `aos` stores each [line] twice, half of it each time, {ask_aos} µs instead of {ask_soa}. That is not the largest.",
        "显存搬运的字节一样（{dram_us} µs），轮数也一样（延迟，{lat_aos} 和 {lat_soa} µs）。{e_aos} % 的代价体现在向 L2 的请求上：`aos` 把每条[line]写两次，每次写一半，{ask_aos} µs，而 `soa` 是 {ask_soa} µs。它不是最大的时间下限。"
      ],
      [
        "**“{faster} times as fast, with twice the efficiency.”** Why {faster} and not twice on that Fermi? Half the efficiency is not twice the bytes. Its loads go through the L1: the lines that x brings hold y, too, so that each comes from the L2 once. Its stores go past the L1, and each segment is stored twice, half of it each time. Both together, {way} times as many bytes travel between the multiprocessors and the L2. That is near the published {faster}; no published counter shows more.",
        "**“效率加倍，速度是 {faster} 倍。”**在那块 Fermi 上为什么是 {faster} 倍，而不是两倍？效率减半并不等于字节加倍。读取经过 L1：读 x 时搬来的缓存行里也有 y，所以每条只从 L2 取一次。写入不经过 L1，每个段要写两次，每次写一半。两者合计，多处理器与 L2 之间往来的字节是 {way} 倍。这与博文的 {faster} 倍相近；博文的计数器只能说明到这里。"
      ]
    ],
  "intro":
    [
      [
        "Pairs of two numbers can lie in memory in two ways: as an **array of structures** (`aos`: x y x y x y), or as a **structure of arrays** (`soa`: x x x, and elsewhere y y y).",
        "成对的数在内存里可以有两种排法：**结构数组**（AoS，`aos`：x y x y x y），或**数组结构**（SoA，`soa`：x x x，另一处 y y y）。"
      ],
      [
        "The kernel reads x of a pair, then y, and uses both. `aos_aligned` reads a pair in one access of 8 bytes.",
        "内核先读 x，再读 y，两者都要用。`aos_aligned` 用一次 8 字节的访问读取一对。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "What is the [efficiency] of `aos`, which loads x alone and then y alone?",
          "`aos` 先只读 x、再只读 y，它的[efficiency]是多少？"
        ],
        "choices": ["25 %", "{e_aos} %", "75 %", "100 %"],
        "answer": 1,
        "set": {"kernel": "aos"},
        "reply": [[
          "**{e_aos} %**: the words of a warp's 32 lanes lie 8 bytes apart, in eight sectors instead of four, and every other word of them is not asked for. Counted and predicted.",
          "**{e_aos} %**：一个线程束 32 个通道要的元素彼此相隔 8 字节，落在八个而不是四个扇区里，其中有一半的元素没有被请求。预测与计数都是如此。"
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
          "**It is no longer slower**: {aos_256} µs against {soa_256}. The kernel uses both fields, so the second load finds in the L1 what the first one brought ({hits} % hits). The prediction has the order wrong: {wa} µs and {ws}.",
          "**不再更慢**：{aos_256} µs 对 {soa_256} µs。内核两个字段都用，第一次读取搬来的数据还在 L1 里，第二次读取就能命中（命中率 {hits} %）。预测把次序弄反了：{wa} µs 和 {ws} µs。"
        ]],
        "rows": [["aos_256", "aos, block 256", "aos，块 256"], ["soa_256", "soa", "soa"]]
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
          "时间一样：{aos_aligned_256} µs 对 {aos_256} µs。但这不等于布局从来不重要：结构有许多字段而内核只用其中一个时，仍要为用不到的数据付出代价。见第 11 课，那里扇区的其余部分始终没有人请求。"
        ]],
        "rows": [["aos_256", "aos, block 256", "aos，块 256"], ["aos_aligned_256", "aos_aligned", "aos_aligned"]]
      }
    ]
};

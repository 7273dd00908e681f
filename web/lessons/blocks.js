export default {
  "data": "blocks",
  "ask": {"kernel": "vector_add", "size": 67108864, "block": [32, 64, 128, 256, 512, 1024]},
  "small": {"size": 1048576},
  "recipe": "vector_add_blocks",
  "conditions": ["67,108,864 ints.", "67,108,864 个 int。"],
  "figures": {
    "t32": [1264.352, 1, "blocks/cold_median_us", {"block_x": 32}],
    "k32": [3.3125, 4, "recipes/vector_add_blocks/elapsed_ms", {"block": 32}],
    "t64": [633.728, 1, "blocks/cold_median_us", {"block_x": 64}],
    "t128": [319.904, 1, "blocks/cold_median_us", {"block_x": 128}],
    "k256": [1.6014, 4, "recipes/vector_add_blocks/elapsed_ms", {"block": 256}],
    "k128": [1.5926, 4, "recipes/vector_add_blocks/elapsed_ms", {"block": 128}],
    "t256": [229.392, 1, "blocks/cold_median_us", {"block_x": 256}],
    "t512": [242.832, 1, "blocks/cold_median_us", {"block_x": 512}],
    "t1024": [268.336, 1, "blocks/cold_median_us", {"block_x": 1024}],
    "times": [1, "ratio", "t32", "t256"],
    "k80": [1, "ratio", "k32", "k256"],
    "at64": [1, "ratio", "t64", "t256"],
    "m512": [0, "more", "t512", "t256"],
    "m1024": [0, "more", "t1024", "t256"],
    "launch": [0.6016, 3, "constants/launch_ns", {}],
    "n32":
      [
        2097152, 0, "predicted/time.bounds[name=launch].amount",
        {"kernel": "vector_add", "dtype": "i32", "size": 67108864, "block": 32}
      ],
    "l32":
      [
        1261.647, 0, "predicted/time.bounds[name=launch].us",
        {"kernel": "vector_add", "dtype": "i32", "size": 67108864, "block": 32}
      ],
    "rounds":
      [248.2424, 0, "predicted/time.rounds", {"kernel": "vector_add", "dtype": "i32", "size": 67108864, "block": 256}],
    "b32": [0, "worked out", "67108864 / 32 / t32"],
    "b64": [0, "worked out", "67108864 / 64 / t64"],
    "b128": [0, "worked out", "67108864 / 128 / t128"],
    "k1024": [1.6645, 4, "recipes/vector_add_blocks/elapsed_ms", {"block": 1024}],
    "k_sms": [13, 0, "recipes/vector_add_blocks/facts/sms_per_gpu", {}],
    "k_mhz": [823.5, 1, "recipes/vector_add_blocks/facts/sm_clock_mhz", {}],
    "k_warps":
      [
        64, 0, "predicted/occupancy.warps_per_sm",
        {"kernel": "vector_add", "dtype": "i32", "size": 16777216, "block": 1024, "arch": "sm_37"}
      ],
    "k_rounds": [1, "worked out", "16777216 / k_sms / k_warps / 32"],
    "round128": [3, "worked out", "k128 * 1000 / k_rounds"],
    "round1024": [3, "worked out", "k1024 * 1000 / k_rounds"],
    "k_more": [0, "worked out", "round1024 - round128 * 1000"],
    "k_requests": [0, "worked out", "1024 - 128 / 32 * 3"],
    "k_cycles": [1, "worked out", "k_more / k_requests * k_mhz / 1000"],
    "request": [0.7682, 2, "constants/request_ns", {}],
    "step": [1.78, 2, "constants/step_ns", {}],
    "end1024": [0, "worked out", "request * 3 + step * 32"],
    "end256": [0, "worked out", "request * 3 + step * 8"],
    "ends": [0, "worked out", "end1024 - end256"],
    "lost": [0, "worked out", "ends * rounds / 1000"],
    "seen": [1, "worked out", "t1024 - t256"],
    "p256":
      [
        239.8954, 1, "predicted/time.predicted_us",
        {"kernel": "vector_add", "dtype": "i32", "size": 67108864, "block": 256}
      ],
    "p1024":
      [
        262.0388, 1, "predicted/time.predicted_us",
        {"kernel": "vector_add", "dtype": "i32", "size": 67108864, "block": 1024}
      ],
    "foreseen": [0, "worked out", "p1024 - p256"]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"kernel": "vector_add", "size": 67108864},
    "opens": 1,
    "titled": ["what fits a multiprocessor of an H200", "H200 的一个多处理器放得下什么"],
    "controls": [{
      "name": "block",
      "label": ["threads a block", "每块线程数"],
      "values": [32, 64, 128, 256, 512, 1024],
      "value": 256
    }],
    "times": {"32": "t32", "64": "t64", "128": "t128", "256": "t256", "512": "t512", "1024": "t1024"},
    "base": "256",
    "baseName": ["block 256", "块 256 "]
  },
  "tiles": [["blocks", -1], ["occupancy", 1], ["time", 0], ["against", 0]],
  "plain": "blocks",
  "why":
    [
      [
        "Up to 128 threads the start of blocks is the largest bound: one every {launch} ns, and the {n32} blocks of 32 threads in {l32} µs. From 256 on it is the latency of {rounds} rounds.",
        "块不超过 128 个线程时，最大的时间下限来自块的启动：每 {launch} ns 启动一个，{n32} 个 32 线程的块要 {l32} µs。从 256 起，最大的是 {rounds} 轮的延迟。"
      ],
      [
        "**“1024 is slower, I do not understand.”** A block gives its place back when its last [warp] has ended, and its warps' requests are taken one after the other. On the K80 a round at 1024 threads takes {round1024} µs, at 128 it takes {round128}: {k_more} ns for {k_requests} more requests, {k_cycles} cycles each. Here a request takes {request} ns and a warp's end {step} ns: {end1024} ns a block of 1024, {end256} a block of 256. The {ends} ns between them, {rounds} times, are {lost} µs of the {seen} measured. The model as a whole predicts {foreseen}, because while places stand empty the memory is less busy and answers sooner.",
        "**“1024 反而更慢，不明白为什么。”**一个块要等最后一个[warp]结束才让出位置，而各线程束的请求只能逐个被接受。K80 上，1024 线程的块每轮 {round1024} µs，128 线程的块每轮 {round128} µs：多 {k_requests} 个请求，多 {k_more} ns，每个 {k_cycles} 个周期。这里每个请求 {request} ns，每个线程束结束再加 {step} ns：1024 的块 {end1024} ns，256 的块 {end256} ns。相差的 {ends} ns 乘以 {rounds} 轮是 {lost} µs，而实测相差 {seen} µs。整个模型预测相差 {foreseen} µs，因为位置空着的时候显存没有那么忙，返回得也更快。"
      ]
    ],
  "intro":
    [
      [
        "The same addition of two vectors can be cut into many small [block|blocks] or into few large ones. The work is the same, and so are all loads and stores.",
        "同一次向量相加，可以切成许多小的[block]，也可以切成少量大的。工作量一样，读写也一样。"
      ],
      [
        "On a K80 blocks of 32 threads took {k80} times as long as blocks of 256.",
        "在 K80 上，32 个线程的块所用时间是 256 个线程的块的 {k80} 倍。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "How many times as long as blocks of 256 threads do blocks of 32 take on an H200?",
          "在 H200 上，32 个线程的块所用时间是 256 个线程的块的几倍？"
        ],
        "scale": [1, 8, 0.1],
        "ticks": [1, 2, 3, 4, 5, 6, 7, 8],
        "unit": "×",
        "answer": "times",
        "marks": [["k80", "K80", "K80"]],
        "set": {"block": 32},
        "reply": [[
          "**{times} times**: {t32} µs against {t256} at block 256. It matters more today than it did then.",
          "**{times} 倍**：{t32} µs，而块 256 是 {t256} µs。这条经验如今更要紧。"
        ]]
      },
      {
        "ask": [
          "On the K80 the [occupancy] was low, too. Is that the reason here? At 64 threads a block…",
          "在 K80 上，此时的[occupancy]也低。这里也是这个原因吗？每块 64 个线程时……"
        ],
        "choices": [
          ["the occupancy is half: that is it", "占用率只有一半，原因就在这里"],
          ["the occupancy is full, and it is slow", "占用率已满，却依然慢"], ["it is fast again", "又变快了"]
        ],
        "answer": 1,
        "set": {"block": 64},
        "reply": [[
          "64 threads fit with full occupancy and still take {at64} times as long. Divide blocks by time: {b32}, {b64} and {b128} blocks a µs at 32, 64 and 128 threads. That hardly moves while the time changes fourfold: it is the rate at which this GPU starts blocks. No counter shows it; an experiment of its own gives one block every {launch} ns.",
          "64 个线程时占用率已满，时间却仍是 {at64} 倍。用块数除以时间：32、64、128 个线程时，每 µs 分别是 {b32}、{b64}、{b128} 个块。时间差了四倍，这个数却几乎不变：它就是这块 GPU 启动块的速率。没有计数器能直接显示它；专门的实验测得每 {launch} ns 启动一个块。"
        ]]
      },
      {
        "ask": ["Is the largest block then the best?", "那么最大的块最好吗？"],
        "choices": [["yes, 1024", "是，1024"], ["no, something between", "不，中间的更好"]],
        "answer": 1,
        "set": {"block": 256},
        "reply": [[
          "Beyond 256 it gets slower again, by {m512} % at 512 and {m1024} % at 1024. Try 256 and 512, and measure.",
          "超过 256 又会变慢：512 慢 {m512} %，1024 慢 {m1024} %。从 256 和 512 试起，并以实测为准。"
        ]],
        "rows": [
          ["t32", "32 threads", "32 个线程"], ["t64", "64 threads", "64 个线程"], ["t128", "128 threads", "128 个线程"],
          ["t256", "256 threads", "256 个线程"], ["t512", "512 threads", "512 个线程"],
          ["t1024", "1024 threads", "1024 个线程"]
        ]
      }
    ]
};

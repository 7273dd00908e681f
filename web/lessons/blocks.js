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
    "k128": [1.5926, 4, "recipes/vector_add_blocks/elapsed_ms", {"block": 128}],
    "t256": [229.392, 1, "blocks/cold_median_us", {"block_x": 256}],
    "t512": [242.832, 1, "blocks/cold_median_us", {"block_x": 512}],
    "t1024": [268.336, 1, "blocks/cold_median_us", {"block_x": 1024}],
    "times": [1, "ratio", "t32", "t256"],
    "k80": [1, "ratio", "k32", "k128"],
    "at64": [1, "ratio", "t64", "t256"],
    "m512": [0, "more", "t512", "t256"],
    "m1024": [0, "more", "t1024", "t256"]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"kernel": "vector_add", "size": 67108864},
    "opens": 1,
    "titled": ["what fits a multiprocessor", "一个多处理器放得下什么"],
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
        "Up to 128 threads the start of blocks is the largest bound: one every 0.594 ns, 2097152 of them in 1245 µs. Beyond 256 it is the latency of 248 rounds.",
        "到 128 线程为止，最大的上界是块的启动：每 0.594 ns 一个，2097152 个要 1245 µs。超过 256，则是 248 轮的延迟。"
      ],
      [
        "**“1024 is slower, I do not understand.”** A block gives its place back when its last [warp] has ended, and its warps' requests are taken one after the other. On the K80 a round at 1024 threads takes 2.641 µs, at 128 it takes 2.527: 114 ns for 84 more requests, a cycle each. Here it is 1.61 ns a request: 155 ns a block of 1024, 39 a block of 256, and the 116 between them 248 times: 29 µs of the 39 measured.",
        "**“1024 反而更慢，不明白为什么。”**一个块要等最后一个[warp]结束才让出位置，而它的请求是一个接一个被接受的。K80 上每轮 1024 线程要 2.641 µs，128 线程要 2.527：多 84 个请求，多 114 ns，每个一个周期。这里每个请求 1.61 ns：1024 的块 155 ns，256 的块 39 ns，相差的 116 ns 乘以 248 轮：29 µs，实测差 39。"
      ]
    ],
  "intro":
    [
      [
        "The same addition of two vectors can be cut into many small [block|blocks] or into few large ones. The work is the same, and so are all loads and stores.",
        "同样的向量相加，可以切成许多小的[block]，也可以切成少数大的。工作一样，读写也一样。"
      ],
      [
        "On a K80 blocks of 32 threads took {k80} times as long as the best size.",
        "在 K80 上，32 个线程的块所用时间是最佳大小的 {k80} 倍。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "How many times the best time do blocks of 32 threads take on an H200?",
          "在 H200 上，32 个线程的块所用时间是最佳时间的几倍？"
        ],
        "scale": [1, 8, 0.1],
        "ticks": [1, 2, 3, 4, 5, 6, 7, 8],
        "unit": "×",
        "answer": "times",
        "marks": [["k80", "K80", "K80"]],
        "set": {"block": 32},
        "reply": [[
          "**{times} times**: {t32} µs against {t256} at block 256. This lesson has become stricter.",
          "**{times} 倍**：{t32} µs，而块 256 是 {t256} µs。这一课变得更严格了。"
        ]]
      },
      {
        "ask": [
          "On the K80 low [occupancy] went with it. Is that the reason here, too? At 64 threads a block…",
          "在 K80 上，低[occupancy]与之相伴。这里也是这个原因吗？每块 64 个线程时……"
        ],
        "choices": [
          ["the occupancy is half: that is it", "占用率只有一半：正是如此"],
          ["the occupancy is full, and it is slow", "占用率是满的，却依然慢"], ["it is fast again", "又变快了"]
        ],
        "answer": 1,
        "set": {"block": 64},
        "reply": [[
          "64 threads fit with full occupancy and still take {at64} times as long. Divide blocks by time: 1659, 1655 and 1639 blocks a µs at 32, 64 and 128 threads. That hardly moves while the time changes fourfold. It looks like the rate at which this GPU can start blocks. No counter was read for it, so take it as a reading of these tables.",
          "64 个线程时占用率已满，时间却仍是 {at64} 倍。用块数除以时间：32、64、128 个线程时，每 µs 1659、1655、1639 个块。时间差了四倍，这个数却几乎不变。看起来这是 GPU 启动块的速率。没有读过相应的计数器，只当是对这些表格的解读。"
        ]]
      },
      {
        "ask": ["Is the largest block then the best?", "那么最大的块最好吗？"],
        "choices": [["yes, 1024", "是，1024"], ["no, something between", "不，中间的更好"]],
        "answer": 1,
        "set": {"block": 256},
        "reply": [[
          "Beyond 256 it gets slower again, by {m512} % at 512 and {m1024} % at 1024. Try 256 and 512, and measure.",
          "超过 256 又会变慢：512 慢 {m512} %，1024 慢 {m1024} %。试试 256 和 512，并实测。"
        ]],
        "rows": [
          ["t32", "32 threads", "32 个线程"], ["t64", "64 threads", "64 个线程"], ["t128", "128 threads", "128 个线程"],
          ["t256", "256 threads", "256 个线程"], ["t512", "512 threads", "512 个线程"],
          ["t1024", "1024 threads", "1024 个线程"]
        ]
      }
    ]
};

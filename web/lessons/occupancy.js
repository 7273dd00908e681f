export default {
  "data": "occupancy",
  "ask": {
    "kernel": ["read_offset", "read_offset_unroll4"],
    "size": 67108864,
    "block": 256,
    "shared_bytes": [0, 28672, 57344, 115712, 231424]
  },
  "small": {"size": 1048576},
  "recipe": "occupancy",
  "conditions": ["67,108,864 floats, block 256.", "67,108,864 个 float，线程块 256。"],
  "figures": {
    "a0": [3511.347, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset", "shared_bytes": 0}],
    "b0": [4393.475, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset_unroll4", "shared_bytes": 0}],
    "a28672": [3177.904, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset", "shared_bytes": 28672}],
    "b28672": [4217.5, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset_unroll4", "shared_bytes": 28672}],
    "a57344": [2091.661, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset", "shared_bytes": 57344}],
    "b57344": [4018.174, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset_unroll4", "shared_bytes": 57344}],
    "a115712": [1147.84, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset", "shared_bytes": 115712}],
    "b115712":
      [3039.901, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset_unroll4", "shared_bytes": 115712}],
    "a231424": [611.2958, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset", "shared_bytes": 231424}],
    "b231424":
      [1791.481, 0, "occupancy/cold_effective_gbps", {"kernel": "read_offset_unroll4", "shared_bytes": 231424}],
    "drop": [2, "ratio", "a0", "a57344"],
    "kept": [0, "worked out", "a57344 / a0 * 100"],
    "o16": [0.810691, 3, "recipes/sum_matrix_blocks/achieved_occupancy", {"block": [16, 16]}],
    "o256": [0.808622, 3, "recipes/sum_matrix_blocks/achieved_occupancy", {"block": [256, 1]}],
    "m16": [46, 0, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [16, 16]}],
    "m256": [30.959, 3, "recipes/sum_matrix_blocks/elapsed_ms", {"block": [256, 1]}],
    "o0": [1.0, 0, "occupancy/theoretical_occupancy", {"kernel": "read_offset", "shared_bytes": 0}],
    "o28672": [0.875, 3, "occupancy/theoretical_occupancy", {"kernel": "read_offset", "shared_bytes": 28672}],
    "o57344": [0.5, 1, "occupancy/theoretical_occupancy", {"kernel": "read_offset", "shared_bytes": 57344}],
    "o115712": [0.25, 2, "occupancy/theoretical_occupancy", {"kernel": "read_offset", "shared_bytes": 115712}],
    "o231424": [0.125, 3, "occupancy/theoretical_occupancy", {"kernel": "read_offset", "shared_bytes": 231424}],
    "warps": [64, 0, "predicted/occupancy.warps_per_sm", {"kernel": "read_offset", "size": 67108864, "block": 256}],
    "flight": [1, "worked out", "warps * 2 * 128 / 1000"],
    "quarter": [0, "worked out", "warps / 4"]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"size": 67108864, "block": 256},
    "opens": -1,
    "titled": ["what fits a multiprocessor of an H200", "H200 的一个多处理器放得下什么"],
    "unit": "GB/s",
    "controls":
      [
        {
          "name": "kernel",
          "label": ["loads under way", "在途读取"],
          "values": ["read_offset", "read_offset_unroll4"],
          "words": [["one element a thread", "每线程一个元素"], ["four elements a thread", "每线程四个元素"]],
          "value": "read_offset"
        },
        {
          "name": "shared_bytes",
          "label": ["shared memory that a block takes, bytes", "每块占用的共享内存（字节）"],
          "values": [0, 28672, 57344, 115712, 231424],
          "value": 0
        }
      ],
    "times": {
      "read_offset,0": "a0",
      "read_offset,28672": "a28672",
      "read_offset,57344": "a57344",
      "read_offset,115712": "a115712",
      "read_offset,231424": "a231424",
      "read_offset_unroll4,0": "b0",
      "read_offset_unroll4,28672": "b28672",
      "read_offset_unroll4,57344": "b57344",
      "read_offset_unroll4,115712": "b115712",
      "read_offset_unroll4,231424": "b231424"
    },
    "base": "read_offset,0",
    "baseName": ["full occupancy, one a thread", "满占用率、每线程一个"]
  },
  "tiles": [["occupancy", -1], ["time", 1], ["against", 1]],
  "plain": "occupancy",
  "why": [[
    "Bandwidth is bytes in flight over latency. {warps} warps with two loads of 128 bytes each (one element a thread, of A and of B) are {flight} kB on a multiprocessor, and so are {quarter} warps with eight: {a0} and {b115712} GB/s. Half the [occupancy] is twice the rounds, and time nearly doubles where latency is the limit; where DRAM is, more warps buy little.",
    "带宽是在途字节除以延迟。{warps} 个线程束各有两次 128 字节的读取在途（每线程一个元素，读 A 与 B），每个多处理器上就是 {flight} kB；{quarter} 个线程束各有八次，也一样：{a0} 与 {b115712} GB/s。[occupancy]减半，轮数加倍：瓶颈是延迟时，用时几乎加倍；瓶颈是显存时，线程束再多也没有多大好处。"
  ]],
  "cpu":
    [
      "A CPU has no multiprocessors whose blocks are resident: what it takes here says nothing about occupancy.",
      "CPU 没有容纳驻留线程块的多处理器：它在这里的用时说明不了占用率。"
    ],
  "intro":
    [
      [
        "[occupancy] is how many warps are resident, of the most there can be. Here blocks take shared memory that they do not use: fewer of them fit, and occupancy falls. Nothing else changes.",
        "[occupancy]是驻留线程束与上限之比。这里让线程块占用并不使用的共享内存：放得下的块少了，占用率随之下降。其他都不变。"
      ],
      [
        "In the published tables occupancy and time did not go together: 16 × 16 achieved {o16} and took {m16} ms, 256 × 1 achieved {o256} and took {m256} ms.",
        "在博文的表格里，占用率与时间并不同步：16 × 16 实际占用率 {o16}，用时 {m16} ms；256 × 1 是 {o256}，用时 {m256} ms。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "With one element a thread, occupancy falls from {o0} to {o57344}. How many times as much bandwidth does full occupancy have?",
          "每线程一个元素，占用率从 {o0} 降到 {o57344}。满占用率时的带宽是此时的几倍？"
        ],
        "scale": [1, 3, 0.05],
        "ticks": [1, 1.5, 2, 2.5, 3],
        "unit": "×",
        "answer": "drop",
        "set": {"shared_bytes": 57344},
        "reply": [[
          "**{drop} times**: {a0} GB/s against {a57344}. With one element a thread occupancy is all there is: at half of it {kept} % of the bandwidth are left, and the lower it is, the more nearly they fall alike.",
          "**{drop} 倍**：{a0} GB/s 对 {a57344} GB/s。每个线程只读一个元素时，能依靠的只有占用率：占用率减半，带宽降到原来的 {kept} %；占用率越低，越接近同比下降。"
        ]]
      },
      {
        "ask": [
          "Which is faster: full occupancy with one element a thread, or half occupancy with four?",
          "哪个更快：满占用率、每线程一个元素，还是一半占用率、每线程四个？"
        ],
        "choices": [["full, one a thread", "满占用率，一个"], ["half, four a thread", "一半占用率，四个"]],
        "answer": 1,
        "set": {"kernel": "read_offset_unroll4", "shared_bytes": 57344},
        "reply": [[
          "Half occupancy with four: {b57344} GB/s against {a0}. What the memory wants is bytes in flight. They come from warps or from loads in a thread. Occupancy is a means: above what is needed it buys little, {b0} against {b57344}.",
          "一半占用率、每线程四个：{b57344} GB/s 对 {a0} GB/s。要用满显存带宽，靠的是在途的字节；它们可以来自更多线程束，也可以来自一个线程内的多次读取。占用率只是手段：够用之后再提高，收益很小，{b0} 对 {b57344}。"
        ]],
        "rowsUnit": "GB/s",
        "rows": [
          ["a0", "one a thread, occupancy {o0}", "每线程一个，占用率 {o0}"],
          ["a28672", "one a thread, occupancy {o28672}", "每线程一个，占用率 {o28672}"],
          ["a57344", "one a thread, occupancy {o57344}", "每线程一个，占用率 {o57344}"],
          ["a115712", "one a thread, occupancy {o115712}", "每线程一个，占用率 {o115712}"],
          ["a231424", "one a thread, occupancy {o231424}", "每线程一个，占用率 {o231424}"],
          ["b0", "four a thread, occupancy {o0}", "每线程四个，占用率 {o0}"],
          ["b28672", "four a thread, occupancy {o28672}", "每线程四个，占用率 {o28672}"],
          ["b57344", "four a thread, occupancy {o57344}", "每线程四个，占用率 {o57344}"],
          ["b115712", "four a thread, occupancy {o115712}", "每线程四个，占用率 {o115712}"],
          ["b231424", "four a thread, occupancy {o231424}", "每线程四个，占用率 {o231424}"]
        ]
      }
    ]
};

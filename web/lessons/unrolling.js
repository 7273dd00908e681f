export default {
  "data": "unrolling",
  "ask":
    {"kernel": "read_offset_unroll", "size": 67108864, "unroll": [1, 2, 4, 8, 16], "block": [64, 128, 256, 512, 1024]},
  "small": {"size": 1048576},
  "recipe": "unrolling",
  "conditions": ["67,108,864 floats, the whole work every time.", "67,108,864 个 float，每次都做全部的工作。"],
  "figures": {
    "g1_64": [1270.969, 0, "unrolling/cold_effective_gbps", {"unroll": 1, "block_x": 64}],
    "g2_64": [2526.943, 0, "unrolling/cold_effective_gbps", {"unroll": 2, "block_x": 64}],
    "g4_64": [4394.626, 0, "unrolling/cold_effective_gbps", {"unroll": 4, "block_x": 64}],
    "g8_64": [4373.622, 0, "unrolling/cold_effective_gbps", {"unroll": 8, "block_x": 64}],
    "g16_64": [4355.079, 0, "unrolling/cold_effective_gbps", {"unroll": 16, "block_x": 64}],
    "g1_128": [2516.582, 0, "unrolling/cold_effective_gbps", {"unroll": 1, "block_x": 128}],
    "g2_128": [4354.326, 0, "unrolling/cold_effective_gbps", {"unroll": 2, "block_x": 128}],
    "g4_128": [4391.941, 0, "unrolling/cold_effective_gbps", {"unroll": 4, "block_x": 128}],
    "g8_128": [4372.483, 0, "unrolling/cold_effective_gbps", {"unroll": 8, "block_x": 128}],
    "g16_128": [4356.964, 0, "unrolling/cold_effective_gbps", {"unroll": 16, "block_x": 128}],
    "g1_256": [3441.716, 0, "unrolling/cold_effective_gbps", {"unroll": 1, "block_x": 256}],
    "g2_256": [4293.41, 0, "unrolling/cold_effective_gbps", {"unroll": 2, "block_x": 256}],
    "g4_256": [4393.475, 0, "unrolling/cold_effective_gbps", {"unroll": 4, "block_x": 256}],
    "g8_256": [4384.29, 0, "unrolling/cold_effective_gbps", {"unroll": 8, "block_x": 256}],
    "g16_256": [4364.52, 0, "unrolling/cold_effective_gbps", {"unroll": 16, "block_x": 256}],
    "g1_512": [3256.026, 0, "unrolling/cold_effective_gbps", {"unroll": 1, "block_x": 512}],
    "g2_512": [4174.129, 0, "unrolling/cold_effective_gbps", {"unroll": 2, "block_x": 512}],
    "g4_512": [4400.004, 0, "unrolling/cold_effective_gbps", {"unroll": 4, "block_x": 512}],
    "g8_512": [4389.643, 0, "unrolling/cold_effective_gbps", {"unroll": 8, "block_x": 512}],
    "g16_512": [4340.058, 0, "unrolling/cold_effective_gbps", {"unroll": 16, "block_x": 512}],
    "g1_1024": [2987.219, 0, "unrolling/cold_effective_gbps", {"unroll": 1, "block_x": 1024}],
    "g2_1024": [3975.016, 0, "unrolling/cold_effective_gbps", {"unroll": 2, "block_x": 1024}],
    "g4_1024": [4397.698, 0, "unrolling/cold_effective_gbps", {"unroll": 4, "block_x": 1024}],
    "g8_1024": [4118.119, 0, "unrolling/cold_effective_gbps", {"unroll": 8, "block_x": 1024}],
    "g16_1024": [4263.226, 0, "unrolling/cold_effective_gbps", {"unroll": 16, "block_x": 1024}],
    "t1": [247.328, 1, "unrolling/cold_median_us", {"unroll": 1, "block_x": 512}],
    "t4": [183.024, 1, "unrolling/cold_median_us", {"unroll": 4, "block_x": 512}],
    "times": [2, "ratio", "t1", "t4"],
    "p1": [1.99, 2, "recipes/read_segment_unroll/elapsed_ms", {"kernel": "read_offset", "offset": 0}],
    "p4": [0.599, 3, "recipes/read_segment_unroll/elapsed_ms", {"kernel": "read_offset_unroll4", "offset": 0}],
    "published": [1, "ratio", "p1", "p4"],
    "n1": [132384, 0, "recipes/read_segment_unroll/gld_transactions", {"kernel": "read_offset", "offset": 11}],
    "n4": [33152, 0, "recipes/read_segment_unroll/gld_transactions", {"kernel": "read_offset_unroll4", "offset": 11}],
    "r1": [14, 0, "unrolling/registers_per_thread", {"unroll": 1, "block_x": 512}],
    "r8": [40, 0, "unrolling/registers_per_thread", {"unroll": 8, "block_x": 512}],
    "r16": [64, 0, "unrolling/registers_per_thread", {"unroll": 16, "block_x": 512}],
    "at64": [2, "ratio", "g4_64", "g1_64"],
    "lat1":
      [
        232.5733, 0, "predicted/time.bounds[name=latency].us",
        {"kernel": "read_offset_unroll", "size": 67108864, "block": 512, "unroll": 1}
      ],
    "lat4":
      [
        73.82394, 0, "predicted/time.bounds[name=latency].us",
        {"kernel": "read_offset_unroll", "size": 67108864, "block": 512, "unroll": 4}
      ],
    "dram1":
      [
        181.2587, 0, "predicted/time.bounds[name=dram].us",
        {"kernel": "read_offset_unroll", "size": 67108864, "block": 512, "unroll": 1}
      ],
    "rounds":
      [
        248.2424, 0, "predicted/time.rounds",
        {"kernel": "read_offset_unroll", "size": 67108864, "block": 512, "unroll": 1}
      ],
    "whole": [3, "worked out", "p4 * 4"],
    "gbps": [0, "worked out", "16777216 * 12 / p4 / 1000000"],
    "n": [0, "worked out", "4194304 * 4"]
  },
  "picture": {
    "kind": "memory",
    "shown": 4,
    "request": {"kernel": "read_offset_unroll", "size": 67108864},
    "opens": -1,
    "controls":
      [
        {"name": "unroll", "label": ["elements a thread", "每线程元素数"], "values": [1, 2, 4, 8, 16], "value": 1},
        {"name": "block", "label": ["threads a block", "每块线程数"], "values": [64, 128, 256, 512, 1024], "value": 512}
      ],
    "times": {
      "1,64": "g1_64",
      "2,64": "g2_64",
      "4,64": "g4_64",
      "8,64": "g8_64",
      "16,64": "g16_64",
      "1,128": "g1_128",
      "2,128": "g2_128",
      "4,128": "g4_128",
      "8,128": "g8_128",
      "16,128": "g16_128",
      "1,256": "g1_256",
      "2,256": "g2_256",
      "4,256": "g4_256",
      "8,256": "g8_256",
      "16,256": "g16_256",
      "1,512": "g1_512",
      "2,512": "g2_512",
      "4,512": "g4_512",
      "8,512": "g8_512",
      "16,512": "g16_512",
      "1,1024": "g1_1024",
      "2,1024": "g2_1024",
      "4,1024": "g4_1024",
      "8,1024": "g8_1024",
      "16,1024": "g16_1024"
    },
    "base": "1,512",
    "baseName": ["1 a thread, block 512", "每线程 1 个、线程块 512 "],
    "unit": "GB/s",
    "titled": ["read_offset_unroll, one warp", "read_offset_unroll，一个线程束"]
  },
  "tiles": [["requests", -1], ["efficiency", -1], ["time", 1], ["against", 1]],
  "plain": "unrolling",
  "why":
    [
      [
        "With one element a thread the latency is the largest bound: {lat1} µs for {rounds} rounds, where DRAM would need {dram1}. Four elements that are all loaded before the first is used wait once: a quarter of the rounds, each longer because more loads are on their way, {lat4} µs in all, and DRAM is the limit. Then nothing more can be won.",
        "每线程一个元素时，最大的时间下限来自延迟：{rounds} 轮共 {lat1} µs，而显存只要 {dram1} µs。如果四个元素全部读出之后才用到第一个，就只需等待一次：轮数是四分之一，但在途的读取更多，每轮更久，共 {lat4} µs，瓶颈变成显存。显存带宽此时已经用满，再展开也没有收益。"
      ],
      [
        "The published figure is seen to be wrong without any counter: three arrays of {n} floats in {p4} ms would be {gbps} GB/s, more than the memory of such a card can move.",
        "不用计数器也能看出博文的数字不对：三个各有 {n} 个 float 的数组若在 {p4} ms 内处理完，就是 {gbps} GB/s，超过了那种显卡显存的带宽。"
      ],
      [
        "**The printed program.** Its first line reads `C[i] = A[k]`: the `+ B[k]` is missing, and the semicolon, so that as printed it does not compile; with a semicolon it gives wrong sums for the first of a thread's four elements. And its one test, `k + 3 * blockDim.x < n`, leaves out the rest at the end: a thread whose last element is not there does none of its four. The kernels here test each element, and every output is verified.",
        "**博文印出的程序。**第一行写的是 `C[i] = A[k]`，漏了 `+ B[k]`，还漏了分号：照抄不能编译；补上分号后，每个线程四个元素中的第一个结果是错的。它又只做一次判断 `k + 3 * blockDim.x < n`，末尾剩余的元素就被漏掉了：一个线程只要最后一个元素越界，四个都不做。这里的内核对每个元素分别判断，并校验每一个输出。"
      ]
    ],
  "intro":
    [
      [
        "A thread that handles four elements asks for four words before it needs the first: more loads are under way, from the same number of threads. That is unrolling.",
        "一个线程如果处理四个元素，就能在用到第一个之前把四个都请求出去：线程数不变，在途的读取更多。这就是循环展开。"
      ],
      [
        "A published table says that unrolling by four made a kernel {published} times as fast: {p1} ms became {p4}.",
        "一张博文的表格说，展开四倍后内核的速度变为 {published} 倍：{p1} ms 降到 {p4} ms。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "The same table counted {n1} load transactions for the plain kernel and {n4} for the unrolled one. What does that say?",
          "同一张表格的计数是：普通内核 {n1} 个读取事务，展开的内核 {n4} 个。这说明什么？"
        ],
        "choices": [
          ["Unrolling saves loads", "展开节省了读取"], ["It did a quarter of the work", "它只做了四分之一的工作"],
          ["The counter missed some", "计数器漏数了"]
        ],
        "answer": 1,
        "reply": [[
          "It was called with a quarter of the elements. Four times {p4} ms is {whole} ms, slower than {p1}.",
          "调用时只给了它四分之一的元素。{p4} ms 乘以四是 {whole} ms，比 {p1} ms 还慢。"
        ]]
      },
      {
        "ask": [
          "On an H200, with the whole work for both, at block 512: how many times as fast is four elements a thread?",
          "在 H200 上，两者都做全部的工作，线程块 512：每线程四个元素时，速度是每线程一个的几倍？"
        ],
        "scale": [0.8, 4, 0.1],
        "ticks": [1, 1.5, 2, 2.5, 3, 3.5, 4],
        "unit": "×",
        "answer": "times",
        "marks": [["published", "published, a quarter of the work", "博文的表格，四分之一的工作"]],
        "set": {"unroll": 4},
        "reply": [[
          "**{times} times**: {t1} µs against {t4}. Unrolling helps, honestly counted. Not {published} times.",
          "**{times} 倍**：{t1} µs 对 {t4} µs。按同样的工作量计算，展开确实有用，但不是 {published} 倍。"
        ]]
      },
      {
        "ask": ["And with eight or sixteen elements a thread?", "每线程八个或十六个元素呢？"],
        "choices": [["faster still", "还会更快"], ["no gain", "没有更多收益"]],
        "answer": 1,
        "set": {"unroll": 8},
        "reply": [[
          "Four is enough. 8 and 16 take {r8} and {r16} registers a thread, against {r1} for one element, and gain nothing. With four a thread the block size stops mattering, too. The large factor at block 64, {at64} times, has another cause: fewer blocks. That is lesson 4.",
          "四个就够了。每线程 8 个和 16 个元素要用 {r8} 和 {r16} 个寄存器（一个元素时是 {r1} 个），却没有收益。每线程四个元素时，块的大小也不再重要。线程块 64 时速度变为 {at64} 倍，另有原因：块的数量少了。见第 4 课。"
        ]],
        "rowsUnit": "GB/s",
        "rows": [
          ["g1_512", "1 a thread, block 512", "每线程 1 个，块 512"], ["g2_512", "2 a thread", "每线程 2 个"],
          ["g4_512", "4 a thread", "每线程 4 个"], ["g8_512", "8 a thread", "每线程 8 个"],
          ["g16_512", "16 a thread", "每线程 16 个"], ["g1_64", "1 a thread, block 64", "每线程 1 个，块 64"],
          ["g4_64", "4 a thread, block 64", "每线程 4 个，块 64"]
        ]
      }
    ]
};

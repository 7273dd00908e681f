export default {
  "data": "access_widths",
  "ask": {"kernel": "copy_width", "size": 67108864, "block": 256, "dtype": ["u8", "u16", "f32"], "width": [1, 2, 4]},
  "small": {"size": 1048576},
  "recipe": "access_widths",
  "conditions": ["67,108,864 elements, block 256.", "67,108,864 个元素，线程块 256。"],
  "figures": {
    "u8_1": [825.4879, 0, "access_widths/cold_effective_gbps", {"dtype": "u8", "width": 1}],
    "u8_2": [1528.536, 0, "access_widths/cold_effective_gbps", {"dtype": "u8", "width": 2}],
    "u8_4": [2705.13, 0, "access_widths/cold_effective_gbps", {"dtype": "u8", "width": 4}],
    "u16_1": [1556.906, 0, "access_widths/cold_effective_gbps", {"dtype": "u16", "width": 1}],
    "u16_2": [2714.76, 0, "access_widths/cold_effective_gbps", {"dtype": "u16", "width": 2}],
    "u16_4": [3865.718, 0, "access_widths/cold_effective_gbps", {"dtype": "u16", "width": 4}],
    "f32_1": [2744.514, 0, "access_widths/cold_effective_gbps", {"dtype": "f32", "width": 1}],
    "f32_2": [3921.285, 0, "access_widths/cold_effective_gbps", {"dtype": "f32", "width": 2}],
    "f32_4": [4290.299, 0, "access_widths/cold_effective_gbps", {"dtype": "f32", "width": 4}],
    "times": [1, "ratio", "u8_4", "u8_1"],
    "rn": [226.288, 1, "registers/cold_median_us", {"values": 64, "bounds": "none"}],
    "rf": [2138.24, 1, "registers/cold_median_us", {"values": 64, "bounds": "full"}],
    "slow": [1, "ratio", "rf", "rn"],
    "on": [0.375, 3, "registers/theoretical_occupancy", {"values": 64, "bounds": "none"}],
    "regs": [32, 0, "registers/registers_per_thread", {"values": 64, "bounds": "full"}],
    "local": [360, 0, "registers/local_bytes_per_thread", {"values": 64, "bounds": "full"}],
    "b64": [162.272, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 64}],
    "b128": [121.696, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 128}],
    "b256": [110.208, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 256}],
    "b512": [114.832, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 512}],
    "b1024": [136.576, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 1024}],
    "spread": [5.568, 1, "atomics/cold_median_us", {"dtype": "i32", "meet": "spread"}],
    "block": [80.864, 1, "atomics/cold_median_us", {"dtype": "i32", "meet": "block"}],
    "one": [770.912, 1, "atomics/cold_median_us", {"dtype": "i32", "meet": "one"}],
    "rounds":
      [
        248.2424, 0, "predicted/time.rounds",
        {"kernel": "copy_width", "dtype": "u8", "size": 67108864, "block": 256, "width": 1}
      ],
    "lat":
      [
        161.2283, 0, "predicted/time.bounds[name=latency].us",
        {"kernel": "copy_width", "dtype": "u8", "size": 67108864, "block": 256, "width": 1}
      ],
    "dram":
      [
        28.57463, 0, "predicted/time.bounds[name=dram].us",
        {"kernel": "copy_width", "dtype": "u8", "size": 67108864, "block": 256, "width": 1}
      ],
    "e1":
      [
        100.0, 0, "predicted/gld_efficiency_pct",
        {"kernel": "copy_width", "dtype": "u8", "size": 67108864, "block": 256, "width": 1}
      ],
    "n64":
      [
        262144, 0, "predicted/time.bounds[name=launch].amount",
        {"kernel": "barrier_phases", "size": 16777216, "block": 64, "phases": 16}
      ],
    "launch": [0.6016, 3, "constants/launch_ns", {}],
    "start64":
      [
        157.7058, 0, "predicted/time.bounds[name=launch].us",
        {"kernel": "barrier_phases", "size": 16777216, "block": 64, "phases": 16}
      ],
    "updates": [1048576, 0, "atomics/size_elements", {"dtype": "i32", "meet": "one"}]
  },
  "picture": {
    "kind": "memory",
    "shown": 1,
    "request": {"kernel": "copy_width", "size": 67108864, "block": 256},
    "unit": "GB/s",
    "controls":
      [
        {
          "name": "dtype",
          "label": ["an element", "元素类型"],
          "values": ["u8", "u16", "f32"],
          "words": [["1 byte", "1 字节"], ["2 bytes", "2 字节"], ["4 bytes", "4 字节"]],
          "value": "u8"
        },
        {"name": "width", "label": ["elements an access", "每次访问的元素数"], "values": [1, 2, 4], "value": 1}
      ],
    "times": {
      "u8,1": "u8_1",
      "u8,2": "u8_2",
      "u8,4": "u8_4",
      "u16,1": "u16_1",
      "u16,2": "u16_2",
      "u16,4": "u16_4",
      "f32,1": "f32_1",
      "f32,2": "f32_2",
      "f32,4": "f32_4"
    },
    "base": "u8,1",
    "baseName": ["single bytes", "单个字节"]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 0], ["against", 0]],
  "plain": "atomics",
  "why": [[
    "Narrow accesses have few bytes in flight: the latency of {rounds} rounds ({lat} µs) is the limit where DRAM would need {dram}. Blocks of 64 behind barriers wait for their start: {n64} × {launch} ns are {start64} µs.",
    "每次访问的字节少，在途字节就少：瓶颈是 {rounds} 轮的延迟（{lat} µs），而显存只要 {dram} µs。64 线程的块不是慢在屏障，而是慢在启动：{n64} × {launch} ns 是 {start64} µs。"
  ]],
  "intro": [[
    "Four shorter ones: widths of an access, registers, barriers, atomic updates. None of them has a published table here.",
    "四个较短的问题：访问的宽度、寄存器、屏障、原子更新。它们都没有博文的表格。"
  ]],
  "questions":
    [
      {
        "ask": [
          "Bytes are copied one at a time, then four at a time. [efficiency] is {e1} % both times. How many times as fast is four?",
          "先每次复制一个字节，再每次复制四个。两次的[efficiency]都是 {e1} %。后者的速度是前者的几倍？"
        ],
        "scale": [1, 5, 0.1],
        "ticks": [1, 2, 3, 4, 5],
        "unit": "×",
        "answer": "times",
        "set": {"dtype": "u8", "width": 4},
        "reply": [[
          "**{times} times**: {u8_4} GB/s against {u8_1}. Floats one at a time have {f32_1}, four at a time {f32_4}. Few bytes a [request] means few bytes in flight.",
          "**{times} 倍**：{u8_4} GB/s 对 {u8_1} GB/s。float 一次一个是 {f32_1}，一次四个是 {f32_4}。每个[request]的字节少，在途的字节就少。"
        ]],
        "rowsUnit": "GB/s",
        "rows": [
          ["u8_1", "u8, 1 at a time", "u8，一次 1 个"], ["u8_2", "u8, 2 at a time", "u8，一次 2 个"],
          ["u8_4", "u8, 4 at a time", "u8，一次 4 个"], ["u16_1", "u16, 1 at a time", "u16，一次 1 个"],
          ["u16_2", "u16, 2 at a time", "u16，一次 2 个"], ["u16_4", "u16, 4 at a time", "u16，一次 4 个"],
          ["f32_1", "f32, 1 at a time", "f32，一次 1 个"], ["f32_2", "f32, 2 at a time", "f32，一次 2 个"],
          ["f32_4", "f32, 4 at a time", "f32，一次 4 个"]
        ]
      },
      {
        "ask": [
          "64 values in a thread leave {on} [occupancy]. The compiler can be asked for full occupancy instead. Then the kernel is…",
          "每个线程保留 64 个值，[occupancy]只有 {on}。也可以要求编译器保证满占用率。这样内核会……"
        ],
        "choices": [["faster", "更快"], ["as fast", "一样快"], ["slower", "更慢"]],
        "answer": 2,
        "reply": [[
          "{slow} times as slow: {rf} µs against {rn}. It has {regs} registers left, and {local} bytes of local memory a thread: [register spill|spilled registers].",
          "用时变为 {slow} 倍：{rf} µs 对 {rn} µs。每线程只剩 {regs} 个寄存器，另用 {local} 字节本地内存：[register spill]。"
        ]]
      },
      {
        "ask": [
          "A kernel waits at 16 barriers. Which block size is the fastest?", "一个内核要过 16 道屏障。哪种块大小最快？"
        ],
        "choices": ["64", "256", "1024"],
        "answer": 1,
        "reply": [[
          "Neither many small blocks nor one big one: 64, 128, 256, 512 and 1024 threads take {b64}, {b128}, {b256}, {b512} and {b1024} µs.",
          "既不是许多小块，也不是少数大块：64、128、256、512、1024 个线程分别用 {b64}、{b128}、{b256}、{b512}、{b1024} µs。"
        ]]
      },
      {
        "ask": [
          "{updates} atomic updates take {spread} µs when each has an address of its own. And when all have the same one?",
          "{updates} 次原子更新，各更新一个地址时用 {spread} µs。全部更新同一个地址呢？"
        ],
        "choices":
          [["twice as long", "两倍"], ["about ten times", "约十倍"], ["more than a hundred times", "一百多倍"]],
        "answer": 2,
        "reply": [["{one} µs; {block} with one address a block.", "{one} µs；每块一个地址时是 {block} µs。"]]
      }
    ]
};

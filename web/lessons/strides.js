export default {
  "data": "strides",
  "ask": {"kernel": "strided", "size": 16777216, "block": 256, "stride": [1, 2, 3, 4, 6, 8, 16, 32]},
  "small": {"size": 262144},
  "recipe": "disorder",
  "conditions": ["16,777,216 floats, block 256.", "16,777,216 个 float，线程块 256。"],
  "figures": {
    "t1": [49.28, 1, "strides/cold_median_us", {"stride": 1}],
    "t2": [55.936, 1, "strides/cold_median_us", {"stride": 2}],
    "t3": [68.24, 1, "strides/cold_median_us", {"stride": 3}],
    "t4": [80.528, 1, "strides/cold_median_us", {"stride": 4}],
    "t6": [107.024, 1, "strides/cold_median_us", {"stride": 6}],
    "t8": [137.008, 1, "strides/cold_median_us", {"stride": 8}],
    "t16": [260.48, 1, "strides/cold_median_us", {"stride": 16}],
    "t32": [296.176, 1, "strides/cold_median_us", {"stride": 32}],
    "more2": [0, "more", "t2", "t1"],
    "times8": [1, "ratio", "t8", "t1"],
    "d8": [536882176, 1, "strides/measured_dram_read_bytes", {"stride": 8}, 1e-06],
    "d16": [1073768704, 1, "strides/measured_dram_read_bytes", {"stride": 16}, 1e-06],
    "copy": [195.536, 1, "disorder/cold_median_us", {"kernel": "copy", "load": "default"}],
    "gather": [1496.8, 1, "disorder/cold_median_us", {"kernel": "gather", "load": "default"}],
    "lat2":
      [
        53.3779, 0, "predicted/time.bounds[name=latency].us",
        {"kernel": "strided", "size": 16777216, "block": 256, "stride": 2}
      ],
    "dram2":
      [
        44.3949, 0, "predicted/time.bounds[name=dram].us",
        {"kernel": "strided", "size": 16777216, "block": 256, "stride": 2}
      ],
    "e8": [12.5, 1, "predicted/gld_efficiency_pct", {"kernel": "strided", "size": 16777216, "block": 256, "stride": 8}],
    "e2": [50.0, 0, "predicted/gld_efficiency_pct", {"kernel": "strided", "size": 16777216, "block": 256, "stride": 2}],
    "open_ps": [15.7, 1, "constants/activate_ps", {}],
    "gn": [67108864, 0, "disorder/size_elements", {"kernel": "gather", "load": "default"}]
  },
  "picture": {
    "kind": "memory",
    "shown": 1,
    "request": {"kernel": "strided", "size": 16777216, "block": 256},
    "controls": [{"name": "stride", "label": ["stride, elements", "步长（元素）"], "min": 1, "max": 32, "value": 1}],
    "times": {"1": "t1", "2": "t2", "3": "t3", "4": "t4", "6": "t6", "8": "t8", "16": "t16", "32": "t32"},
    "base": "1",
    "baseName": ["stride 1", "步长 1 "]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "strides",
  "why": [[
    "Up to stride 2 the latency is the limit and hides what DRAM does ({lat2} µs against {dram2}). From 4 on DRAM is, and the time follows what it reads: 64 bytes at a time, so that stride 16 reads twice as many as stride 8 and takes nearly twice as long. Stride 32 moves the same bytes, and opens more pages of the memory, {open_ps} ps each.",
    "步长不超过 2 时，瓶颈是延迟，掩盖了显存的用时（{lat2} µs 对 {dram2} µs）。从 4 起瓶颈是显存，用时随它读的字节数增长：它一次读 64 字节，所以步长 16 读的字节又是步长 8 的两倍，用时接近两倍。步长 32 搬运的字节相同，但要打开的显存页更多，每页 {open_ps} ps。"
  ]],
  "intro": [[
    "`strided` copies every second, every third, every n-th element: `C[i] = A[i · n]`. What lies between is never asked for.",
    "`strided` 每隔一个、两个……即每 n 个元素复制一个：`C[i] = A[i · n]`。中间的元素始终没有线程请求。"
  ]],
  "questions":
    [
      {
        "ask": [
          "From which [stride] on can the [efficiency] of the load fall no more?",
          "从多大的[stride]起，读取的[efficiency]不再下降？"
        ],
        "choices": ["2", "4", "8", "32"],
        "answer": 2,
        "set": {"stride": 8},
        "reply": [[
          "From 8 on: each lane then has a sector of its own, and 4 of 32 bytes are used, {e8} %.",
          "从 8 起：此时每个通道独占一个扇区，32 字节里只用 4 字节，{e8} %。"
        ]]
      },
      {
        "ask": ["How many times as long as stride 1 does stride 8 take?", "步长 8 所用时间是步长 1 的几倍？"],
        "scale": [1, 8, 0.1],
        "ticks": [1, 2, 3, 4, 5, 6, 7, 8],
        "unit": "×",
        "answer": "times8",
        "reply": [[
          "**{times8} times**; stride 2 costs {more2} %. This is where low efficiency hurts: nobody ever asks for the rest of the sectors, so no cache can help. Compare with lesson 3, where {e2} % cost nothing.",
          "**{times8} 倍**；步长 2 慢 {more2} %。低效率到这里才真正拖慢速度：扇区的其余部分始终没有人请求，任何缓存都帮不上忙。对比第 3 课，那里 {e2} % 的效率没有任何代价。"
        ]]
      },
      {
        "ask": [
          "At stride 16 the efficiency is the same as at 8. And the bytes that DRAM reads ({d8} MB at 8)?",
          "步长 16 的效率与 8 相同。那么显存读取的字节呢（步长 8 时 {d8} MB）？"
        ],
        "choices": [["the same", "一样"], ["twice as many", "两倍"]],
        "answer": 1,
        "set": {"stride": 16},
        "reply": [[
          "{d16} MB: DRAM then reads 64 bytes for each element of 4 bytes, and the time becomes {t16} µs. The worst is disorder: a random order over the whole array (`gather`) takes {gather} µs against {copy} for `copy`, over {gn} floats.",
          "{d16} MB：此时每个 4 字节的元素要从显存读 64 字节，用时变成 {t16} µs。最坏的是无序：在整个数组里随机读取（`gather`）要 {gather} µs，而 `copy` 是 {copy} µs，均为 {gn} 个 float。"
        ]],
        "rows": [
          ["t1", "stride 1", "步长 1"], ["t2", "stride 2", "步长 2"], ["t3", "stride 3", "步长 3"],
          ["t4", "stride 4", "步长 4"], ["t6", "stride 6", "步长 6"], ["t8", "stride 8", "步长 8"],
          ["t16", "stride 16", "步长 16"], ["t32", "stride 32", "步长 32"]
        ]
      }
    ]
};

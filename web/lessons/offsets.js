export default {
  "data": "offsets",
  "ask": {
    "kernel": ["read_offset", "write_offset"],
    "size": 67108864,
    "block": 512,
    "offset": [0, 1, 2, 4, 7, 8, 11, 16, 24, 31, 32]
  },
  "small": {"size": 1048576},
  "recipe": "read_segment_cached",
  "conditions": ["67,108,864 floats, block 512.", "67,108,864 个 float，线程块 512。"],
  "figures": {
    "t0": [242.592, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 0}],
    "t1": [247.472, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 1}],
    "t2": [247.584, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 2}],
    "t4": [247.472, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 4}],
    "t7": [247.472, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 7}],
    "t8": [248.096, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 8}],
    "t11": [247.456, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 11}],
    "t16": [248.16, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 16}],
    "t24": [248.336, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 24}],
    "t31": [247.808, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 31}],
    "t32": [245.792, 1, "offsets/cold_median_us", {"kernel": "read_offset", "offset": 32}],
    "w0": [242.736, 1, "offsets/cold_median_us", {"kernel": "write_offset", "offset": 0}],
    "w8": [242.928, 1, "offsets/cold_median_us", {"kernel": "write_offset", "offset": 8}],
    "w11": [245.008, 1, "offsets/cold_median_us", {"kernel": "write_offset", "offset": 11}],
    "more": [1, "more", "t11", "t0"],
    "more_store": [1, "more", "w11", "w0"],
    "hits": [13.3946, 2, "offsets/measured_l1_hit_rate_pct", {"kernel": "read_offset", "offset": 11}],
    "dram": [536891392, 1, "offsets/measured_dram_read_bytes", {"kernel": "read_offset", "offset": 11}, 1e-06],
    "s0": [16777216, 0, "offsets/measured_gld_transactions", {"kernel": "read_offset", "offset": 0}],
    "s11": [20971516, 0, "offsets/measured_gld_transactions", {"kernel": "read_offset", "offset": 11}],
    "c0": [1.82, 2, "recipes/read_segment_cached/elapsed_ms", {"offset": 0}],
    "c11": [1.949, 3, "recipes/read_segment_cached/elapsed_ms", {"offset": 11}],
    "u0": [1.825, 3, "recipes/read_segment_uncached/elapsed_ms", {"offset": 0}],
    "u11": [2.309, 3, "recipes/read_segment_uncached/elapsed_ms", {"offset": 11}],
    "fermi": [0, "more", "c11", "c0"],
    "past": [0, "more", "u11", "u0"],
    "p11":
      [
        20971516, 0, "predicted/gld_transactions",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "q11":
      [4194304, 0, "predicted/gld_requests", {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}],
    "n11": [0, "worked out", "p11 / q11"],
    "b11":
      [
        536870824, 0, "predicted/gld_requested_bytes",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "asked": [0, "worked out", "b11 / q11"],
    "m11":
      [
        671088512, 0, "predicted/gld_moved_bytes",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "moved": [0, "worked out", "m11 / q11"],
    "e11":
      [
        80.0, 0, "predicted/gld_efficiency_pct", {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "e8":
      [
        100.0, 0, "predicted/gld_efficiency_pct", {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 8}
      ],
    "ask0":
      [
        70.97811, 0, "predicted/time.bounds[name=ask].us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 0}
      ],
    "ask8":
      [
        99.36934, 0, "predicted/time.bounds[name=ask].us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 8}
      ],
    "lat0":
      [
        228.3052, 1, "predicted/time.bounds[name=latency].us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 0}
      ],
    "lat11":
      [
        230.5618, 1, "predicted/time.bounds[name=latency].us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}
      ],
    "rounds":
      [248.2424, 0, "predicted/time.rounds", {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 11}],
    "extra": [0.3763, 2, "constants/extra_line_ns", {}],
    "loads": [0, "worked out", "512 / 32 * 2"],
    "longer": [0, "worked out", "extra * loads"],
    "p0":
      [
        245.0245, 1, "predicted/time.predicted_us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 0}
      ],
    "p8":
      [
        247.3054, 1, "predicted/time.predicted_us",
        {"kernel": "read_offset", "size": 67108864, "block": 512, "offset": 8}
      ],
    "foreseen": [1, "worked out", "p8 - p0"],
    "seen8": [1, "worked out", "t8 - t0"],
    "more32": [1, "more", "t32", "t0"],
    "f32": [100.0, 0, "predicted/gld_efficiency_pct", {"kernel": "read_offset", "offset": 32, "arch": "sm_20"}],
    "halves":
      [
        1, 0, "predicted/gst_transactions",
        {"kernel": "store_pattern", "pattern": "strided", "stride": 16, "block": 2, "size": 2, "arch": "sm_20"}
      ],
    "room":
      [
        128, 0, "predicted/gst_transaction_bytes",
        {"kernel": "store_pattern", "pattern": "strided", "stride": 16, "block": 2, "size": 2, "arch": "sm_20"}
      ],
    "own":
      [
        64, 0, "predicted/gst_transaction_bytes",
        {"kernel": "store_pattern", "pattern": "strided", "stride": 16, "block": 2, "size": 2}
      ]
  },
  "picture": {
    "kind": "neighbours",
    "lines": 3,
    "opens": -1,
    "request": {"kernel": "read_offset", "size": 67108864, "block": 512},
    "controls": [{"name": "offset", "label": ["offset, elements", "偏移（元素）"], "min": 0, "max": 32, "value": 0}],
    "times": {
      "0": "t0",
      "1": "t1",
      "2": "t2",
      "4": "t4",
      "7": "t7",
      "8": "t8",
      "11": "t11",
      "16": "t16",
      "24": "t24",
      "31": "t31",
      "32": "t32"
    },
    "base": "0",
    "baseName": ["offset 0", "偏移 0 "]
  },
  "tiles": [["sectors", 0], ["efficiency", 0], ["time", 1], ["against", 1]],
  "plain": "offsets",
  "why":
    [
      [
        "What moves with the offset is what is asked of the [L2]. That alone would take {ask0} to {ask8} µs, far less than the largest bound. The largest is the [latency]: {rounds} rounds of resident blocks, each waiting for its loads, {lat0} µs at offset 0. A shift adds only a second [line] for each load to look up: {extra} ns for each of the {loads} loads of a block, {longer} ns a round at most, and {lat11} µs at offset 11. The model as a whole predicts {p0} µs at offset 0 and {p8} at offset 8: {foreseen} of the {seen8} µs that offset 8 was measured to take longer. The rest it does not explain; part of it is there at offset 32, too, where no second line is looked up.",
        "随偏移变化的是向 [L2] 的请求。它给出的时间下限只有 {ask0} 到 {ask8} µs，远小于最大的下限。最大的下限来自[latency]：驻留的块要换 {rounds} 轮，每轮都要等读取返回，偏移 0 时共 {lat0} µs。偏移对它的影响，只是每次读取要多查一条[line]：每次 {extra} ns，一个块有 {loads} 次读取，每轮最多多出 {longer} ns；偏移 11 时共 {lat11} µs。整个模型预测偏移 0 为 {p0} µs，偏移 8 为 {p8} µs，相差 {foreseen} µs，而实测相差 {seen8} µs。其余部分模型解释不了；偏移 32 不必多查一条缓存行，也慢了一些。"
      ],
      [
        "**“The first address must be an even multiple of the granularity.”** So says one of the five posts that these lessons grew from, notes on global memory. Any whole multiple is aligned: offset 32 is one [line] further, and on a Fermi (sm_20), where the line is the unit, its [efficiency] is {f32} %. The same holds for the width of a block: any multiple of the [warp] will do.",
        "**“首地址须是缓存粒度的偶数倍。”**这句话出自博文《CUDA 学习之第四章，全局内存（三）》，这些课程由五篇博文而来，它是其中之一。其实只要是整数倍就算对齐：偏移 32 恰好移动一条[line]，在以缓存行为单位的 Fermi（sm_20）上[efficiency]仍是 {f32} %。线程块的宽度也一样：只要是[warp]大小的整数倍即可。"
      ],
      [
        "**“One store of four segments is better than two of one.”** Two words in the two halves of a [line] are {halves} transaction on an sm_20, with room for {room} bytes. An H200 moves the two sectors alone, {own} bytes. Another of the posts, “CUDA ---- Memory Access”, says so: it counts the transactions and does not measure the times.",
        "**“一次四段的写入优于两次一段的写入。”**落在同一条[line]前后两半的两个字，在 sm_20 上是 {halves} 个事务，容量 {room} 字节；H200 只搬那两个扇区，{own} 字节。这句话出自博文《CUDA ---- Memory Access》：它只数了事务，没有测量时间。"
      ]
    ],
  "intro":
    [
      [
        "The 32 [lane|lanes] of a [warp] each read 4 bytes, 128 bytes together. Memory is not moved in bytes but in **[sector|sectors]** of 32. A warp that starts on a boundary needs four of them.",
        "一个[warp]有 32 个[lane]，每个通道读 4 字节，合起来 128 字节。显存不是按字节搬运的，而是按 32 字节的**[sector]**搬运。从边界开始读的线程束正好用到四个扇区。"
      ],
      [
        "Now shift the whole warp by 11 elements. Move the slider and watch.",
        "现在把整个线程束往后移 11 个元素。请拖动滑块看看。"
      ]
    ],
  "questions":
    [
      {
        "ask": ["How many sectors does one warp ask for at offset 11?", "偏移 11 时，一个线程束请求几个扇区？"],
        "choices": ["4", "{n11}", "8", "32"],
        "answer": 1,
        "set": {"offset": 11},
        "reply": [[
          "{n11}: {asked} bytes that start off a boundary straddle one sector more. {asked} of {moved} bytes are used, **{e11} %**. The counters of the GPU say the same: {s11} sectors for the kernel's two loads, instead of {s0}.",
          "{n11} 个。{asked} 字节不从边界开始，就多跨一个扇区。搬来 {moved} 字节，用到 {asked} 字节，效率 **{e11} %**。GPU 的硬件计数器也是这个结果：内核的两次读取总共 {s11} 个扇区，而不是 {s0} 个。"
        ]]
      },
      {
        "ask": [
          "So how much longer does it take than offset 0? Put your guess on the scale.",
          "那么它比偏移 0 慢多少？先在刻度上标出你的猜测。"
        ],
        "scale": [0, 30, 1],
        "ticks": [0, 5, 10, 15, 20, 25, 30],
        "unit": "%",
        "answer": "more",
        "marks":
          [["fermi", "Fermi, through the L1", "Fermi，经过 L1"], ["past", "Fermi, past the L1", "Fermi，绕过 L1"]],
        "reply": [[
          "**Only {more} %.** The fifth sector of one warp is another warp's first. Whoever comes second finds it in the [L1]: that is two of a warp’s fourteen sectors (two loads of five, a store of four), and fewer at the edge of a block. The L1 [hit rate] of the whole launch is {hits} %. [DRAM] reads {dram} MB either way. The Fermi of the published table was not so lucky: {fermi} % through the L1, {past} % past it.", "**只慢 {more} %。**一个线程束的第五个扇区，正是另一个线程束的第一个；除线程块的边缘外，后请求它的线程束能在 [L1] 中命中。每个线程束有十四个扇区（两次读取各五个，一次写入四个），其中两个命中；扣除边缘，整次启动的 L1 [hit rate]为 {hits} %。从[DRAM]读取的字节两种情况都是 {dram} MB。博文的表格里的 Fermi 没有这么幸运：经过 L1 慢 {fermi} %，绕过 L1 慢 {past} %。"
        ]]
      },
      {
        "ask": [
          "Offset 8 is aligned to sectors again and has {e8} % [efficiency]. How does its load compare?",
          "偏移 8 又与扇区对齐，[efficiency]为 {e8} %。它的读取有多快？"
        ],
        "choices": [["as fast as offset 0", "和偏移 0 一样快"], ["as slow as offset 11", "和偏移 11 一样慢"]],
        "answer": 1,
        "set": {"offset": 8},
        "alike": {"offset": [16, 24]},
        "reply": [[
          "It takes as long as offset 11. So even the {more} % is not the fifth sector. Offset 8 is aligned to sectors and not to the 128-byte [line]: that explains a part (below). Offset 32 is aligned to both and still takes {more32} % more, for which nothing here has a cause. Stores are different: at 8 they lose nothing, at 11 they lose {more_store} %.",
          "用时与偏移 11 相同。可见连那 {more} % 也不是第五个扇区造成的。偏移 8 与扇区对齐，却没有与 128 字节的[line]对齐：这能解释一部分（见下文）。偏移 32 与两者都对齐，仍慢 {more32} %，这一部分这里说不出原因。写入则不同：偏移 8 没有损失，偏移 11 慢 {more_store} %。"
        ]],
        "rows": [
          ["t0", "load, offset 0", "读，偏移 0"], ["t8", "load, offset 8", "读，偏移 8"],
          ["t11", "load, offset 11", "读，偏移 11"], ["w0", "store, offset 0", "写，偏移 0"],
          ["w8", "store, offset 8", "写，偏移 8"], ["w11", "store, offset 11", "写，偏移 11"]
        ]
      }
    ]
};

export default {
  "data": "barriers",
  "ask": {"kernel": "barrier_phases", "size": 16777216, "phases": 16, "block": [64, 128, 256, 512, 1024]},
  "small": {"size": 262144},
  "recipe": "barriers",
  "rules":
    [
      {"recipe": "registers", "title": ["Registers decide how many blocks fit", "寄存器决定放得下多少块"]},
      {"recipe": "shared_steps", "title": ["So does shared memory, in steps", "共享内存也一样，一级一级地变"]},
      {"recipe": "block_steps", "title": ["And the size of the block", "块的大小也一样"]}, {
        "recipe": "launch_bounds",
        "title": ["Launch bounds lower registers, and may raise them", "启动边界压低寄存器数，也可能抬高"]
      },
      {"recipe": "registers_by_type", "title": ["A double takes two registers", "一个 double 占两个寄存器"]}, {
        "recipe": "barriers",
        "title": ["Several blocks go on while one waits at a barrier", "一个块在屏障处等待时，其他块继续执行"]
      },
      {
        "recipe": "latency_hiding",
        "title": ["Warps hide a latency, and so do independent instructions", "线程束能掩盖延迟，独立的指令也能"]
      }
    ],
  "conditions":
    [
      "The picture: one multiprocessor of the chip that you choose, no launch.",
      "图示为所选芯片的一个多处理器，不启动内核。"
    ],
  "figures": {
    "b16":
      [
        2, 0, "predicted/occupancy.blocks_per_sm",
        {"kernel": "copy", "block": 512, "registers_per_thread": 16, "arch": "sm_12"}
      ],
    "b17":
      [
        1, 0, "predicted/occupancy.blocks_per_sm",
        {"kernel": "copy", "block": 512, "registers_per_thread": 17, "arch": "sm_12"}
      ],
    "w16":
      [
        32, 0, "predicted/occupancy.warps_per_sm",
        {"kernel": "copy", "block": 512, "registers_per_thread": 16, "arch": "sm_12"}
      ],
    "w17":
      [
        16, 0, "predicted/occupancy.warps_per_sm",
        {"kernel": "copy", "block": 512, "registers_per_thread": 17, "arch": "sm_12"}
      ],
    "need16": [0, "worked out", "b16 * 512 * 16"],
    "need17": [0, "worked out", "b16 * 512 * 17"],
    "h12":
      [6, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_12"}],
    "h20":
      [22, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_20"}],
    "h21":
      [22, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_21"}],
    "h30":
      [44, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_30"}],
    "h90":
      [16, 0, "predicted/occupancy.warps_to_hide_register_latency", {"kernel": "copy", "block": 128, "arch": "sm_90"}],
    "i21": [0, "worked out", "h21 * 2"],
    "i30": [0, "worked out", "h30 * 2"],
    "t64": [162.272, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 64}],
    "t128": [121.696, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 128}],
    "t256": [110.208, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 256}],
    "t512": [114.832, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 512}],
    "t1024": [136.576, 1, "barriers/cold_median_us", {"phases": 16, "block_x": 1024}],
    "more": [0, "more", "t1024", "t256"],
    "r1024":
      [
        2, 0, "predicted/occupancy.blocks_per_sm",
        {"kernel": "barrier_phases", "size": 16777216, "block": 1024, "phases": 16}
      ],
    "r256":
      [
        8, 0, "predicted/occupancy.blocks_per_sm",
        {"kernel": "barrier_phases", "size": 16777216, "block": 256, "phases": 16}
      ],
    "n64":
      [
        262144, 0, "predicted/time.bounds[name=launch].amount",
        {"kernel": "barrier_phases", "size": 16777216, "block": 64, "phases": 16}
      ],
    "start64":
      [
        157.7058, 0, "predicted/time.bounds[name=launch].us",
        {"kernel": "barrier_phases", "size": 16777216, "block": 64, "phases": 16}
      ],
    "regs32": [39, 0, "registers/registers_per_thread", {"values": 32, "bounds": "none"}],
    "o32": [0.75, 2, "registers/theoretical_occupancy", {"values": 32, "bounds": "none"}],
    "u32": [123.792, 1, "registers/cold_median_us", {"values": 32, "bounds": "none"}],
    "bregs": [32, 0, "registers/registers_per_thread", {"values": 32, "bounds": "full"}],
    "local": [48, 0, "registers/local_bytes_per_thread", {"values": 32, "bounds": "full"}],
    "bu32": [201.84, 1, "registers/cold_median_us", {"values": 32, "bounds": "full"}],
    "regs16": [25, 0, "registers/registers_per_thread", {"values": 16, "bounds": "none"}],
    "u16": [74.928, 1, "registers/cold_median_us", {"values": 16, "bounds": "none"}],
    "bu16": [74.912, 1, "registers/cold_median_us", {"values": 16, "bounds": "full"}],
    "u64": [226.288, 1, "registers/cold_median_us", {"values": 64, "bounds": "none"}],
    "bu64": [2138.24, 1, "registers/cold_median_us", {"values": 64, "bounds": "full"}],
    "local64": [360, 0, "registers/local_bytes_per_thread", {"values": 64, "bounds": "full"}]
  },
  "picture": {
    "kind": "occupancy",
    "request": {"kernel": "copy", "size": 1048576},
    "opens": -1,
    "titled": ["what fits a multiprocessor", "一个多处理器放得下什么"],
    "controls":
      [
        {"name": "arch", "label": ["chip", "芯片"], "values": ["sm_12", "sm_20", "sm_30", "sm_90"], "value": "sm_12"},
        {"name": "block", "label": ["threads a block", "每块线程数"], "values": [64, 128, 256, 512], "value": 512}, {
          "name": "registers_per_thread",
          "label": ["registers a thread", "每线程寄存器数"],
          "values": [16, 17, 32, 33, 63],
          "value": 16
        },
        {
          "name": "shared_bytes_per_block",
          "label": ["shared memory a block, bytes", "每块共享内存（字节）"],
          "values": [0, 4096, 16000],
          "value": 0
        }
      ]
  },
  "tiles": [["resident", 0], ["warps", 0], ["occupancy", 0], ["needed", 1]],
  "plain": "barriers",
  "why":
    [
      [
        "What fits is decided by whichever runs out first: threads, places for blocks, registers, shared memory. Each is given to whole blocks, so that [occupancy] falls in steps: one register or one byte more, and a whole block less fits. Shared memory of a block is what the kernel declares and what the launch adds; on an sm_12 the kernel's parameters and some bytes of the system lie in it, too.",
        "放得下多少块，取决于最先用完的资源：线程数、驻留块数、寄存器、共享内存。它们都按整块分配，所以[occupancy]是一级一级下降的：多用一个寄存器或一个字节，就可能少放一整块。一个块的共享内存是内核里静态声明的与启动时动态分配的之和；在 sm_12 上，内核的参数和系统的几个字节也放在其中。"
      ],
      [
        "What must be there depends on what is waited for. The result of an instruction on registers can be used some cycles later, and so many cycles' worth of other instructions hide that: warps that are ready, or independent instructions of one warp. sm_21 and sm_30 issue them in pairs of one [warp], so that their full rate needs {i21} and {i30} instructions under way; the posts have twice the latency for sm_30, where it is eight times.",
        "需要多少线程束，取决于在等什么。寄存器运算的结果要过若干周期才能使用，这段时间要靠其他指令来填满：可以是其他就绪的线程束，也可以是同一线程束里互不依赖的指令。sm_21 和 sm_30 每次从一个[warp]成对发射指令，要达到最高速率，在途指令须有 {i21} 条和 {i30} 条。博文说 sm_30 需要延迟周期数的两倍，应为八倍。"
      ],
      [
        "A [warp] also waits at a barrier, until all warps of its block have come. That is what several resident blocks are good for: they do not wait for each other.",
        "[warp]还会在同步点（屏障）等待，直到同一线程块的所有线程束都到达。多个驻留的线程块正好能填补这段空闲：不同线程块之间不必互相等待。"
      ]
    ],
  "cpu":
    [
      "A CPU has no multiprocessors whose blocks are resident: what it takes here says nothing about them.",
      "CPU 没有容纳驻留线程块的多处理器：它在这里的用时说明不了这些问题。"
    ],
  "intro":
    [
      [
        "A multiprocessor (SM) holds [block|blocks] as long as their threads, registers and shared memory fit. Its resident [warp|warps] are what it has to do while one of them waits.",
        "一个多处理器（SM）能同时容纳多少个[block]，要看它们的线程、寄存器和共享内存放不放得下。某个[warp]等待时，它靠其他驻留的线程束保持忙碌。"
      ],
      [
        "So there are two sides: what fits, and what is needed. Choose a chip, and watch which limit is in ink.",
        "所以要看两面：放得下多少，又需要多少。请选择芯片，看看哪一项是上限。"
      ]
    ],
  "questions":
    [
      {
        "ask": [
          "On an sm_12, {b16} blocks of 512 threads with 16 registers a thread are resident. How many with 17 registers?",
          "在 sm_12 上，每线程 16 个寄存器、每块 512 个线程时，驻留 {b16} 个块。改用 17 个寄存器呢？"
        ],
        "choices": [["still {b16}", "仍是 {b16} 个"], ["{b17}", "{b17} 个"], ["none", "一个也放不下"]],
        "answer": 1,
        "set": {"arch": "sm_12", "block": 512, "registers_per_thread": 17, "shared_bytes_per_block": 0},
        "reply": [[
          "Only {b17}: {b16} blocks with 16 take {need16} registers, which is all that there are; with 17 they would take {need17}. {w16} resident warps become {w17}: one register more a thread costs half of them.",
          "只有 {b17} 个：每线程 16 个时，{b16} 个块用 {need16} 个寄存器，正好用完；每线程 17 个就要 {need17} 个。驻留线程束从 {w16} 个降到 {w17} 个：每线程只多用一个寄存器，驻留线程束就少了一半。"
        ]]
      },
      {
        "ask": [
          "Each instruction of a warp waits for the one before. How many warps keep a multiprocessor of an sm_30 busy?",
          "线程束的每条指令都要等前一条的结果。sm_30 的一个多处理器要有多少个线程束才能一直忙碌？"
        ],
        "choices": ["{h12}", "{h20}", "{h30}"],
        "answer": 2,
        "set": {"arch": "sm_30", "block": 256, "registers_per_thread": 32},
        "reply": [[
          "{h30}: it issues from four warps in every cycle. {h12} are enough for an sm_12, which takes four cycles for an instruction of one warp, {h20} for an sm_20, two warps in two cycles, and {h90} for an sm_90, whose latency is shorter. The posts say {h20} for everything from Fermi on.",
          "{h30} 个：它每个周期从四个线程束发射指令。sm_12 用四个周期发射一个线程束的一条指令，{h12} 个就够；sm_20 每两个周期从两个线程束发射，要 {h20} 个；sm_90 的延迟更短，要 {h90} 个。博文说从 Fermi 起都是 {h20} 个。"
        ]]
      },
      {
        "ask": [
          "A kernel waits at 16 barriers. How much longer does it take with blocks of 1024 threads than with blocks of 256, on an H200?",
          "一个内核要过 16 道屏障。在 H200 上，1024 线程的块比 256 线程的块慢多少？"
        ],
        "scale": [0, 60, 1],
        "ticks": [0, 10, 20, 30, 40, 50, 60],
        "unit": "%",
        "answer": "more",
        "reply": [[
          "**{more} %**: {t1024} µs against {t256}. At a barrier the warps that have come wait for the last one of their block, and only {r1024} blocks are resident; of {r256} blocks the others go on. Smaller is not always better: blocks of 64 take {t64} µs, because {n64} blocks take {start64} µs to start.",
          "**慢 {more} %**：{t1024} µs 对 {t256} µs。先到屏障的线程束要等本块的最后一个，而此时只驻留 {r1024} 个块；若驻留 {r256} 个块，其余的块可以继续执行。块也不是越小越好：64 线程的块要 {t64} µs，因为启动 {n64} 个块就要 {start64} µs。"
        ]],
        "rows": [
          ["t64", "64 threads", "64 个线程"], ["t128", "128 threads", "128 个线程"],
          ["t256", "256 threads", "256 个线程"], ["t512", "512 threads", "512 个线程"],
          ["t1024", "1024 threads", "1024 个线程"]
        ]
      },
      {
        "ask": [
          "32 values in a thread take {regs32} registers: [occupancy] {o32}. Launch bounds ask the compiler for full occupancy. Then the kernel is…",
          "每个线程保留 32 个值，要用 {regs32} 个寄存器，[occupancy]为 {o32}。用启动边界（launch bounds）要求编译器保证满占用率，内核会……"
        ],
        "choices": [["faster", "更快"], ["as fast", "一样快"], ["slower", "更慢"]],
        "answer": 2,
        "reply": [[
          "Slower: {bu32} µs against {u32}. The compiler comes down to {bregs} registers with {local} bytes of local memory a thread. With 16 values ({regs16} registers) the bound changes nothing: {bu16} and {u16} µs; with 64 it takes {local64} bytes and {bu64} µs against {u64}. What a bound is worth depends on the kernel and the chip: measure it.",
          "更慢：{bu32} µs 对 {u32} µs。编译器把寄存器减到 {bregs} 个，代价是每线程 {local} 字节的本地内存。只有 16 个值时（{regs16} 个寄存器），启动边界不起作用：{bu16} 和 {u16} µs；有 64 个值时则要 {local64} 字节，{bu64} µs 对 {u64} µs。启动边界是否有利，取决于内核和芯片，要实测。"
        ]]
      },
      {
        "ask": [
          "A thread stores a message and then sets a flag, which is `volatile`. A thread of another block sees the flag and reads the message. Is it the new one?",
          "一个线程写入消息，再设置 `volatile` 标志。另一个块的线程看到标志后读取消息。读到的一定是新消息吗？"
        ],
        "choices": [
          ["yes: it was stored before the flag", "是：消息写在标志之前"],
          ["with a memory fence on both sides", "双方都有内存栅栏才行"],
          ["if the message is volatile too", "消息也是 volatile 就行"]
        ],
        "answer": 1,
        "reply": [[
          "It takes `__threadfence()` between message and flag, in the thread that writes and in the one that reads; it orders the accesses of its own thread, so that nobody sees those after it before those ahead of it; unlike a barrier, it waits for no other thread. `volatile` makes each access happen, and no value stays in a register, but it orders nothing: without a fence the flag may overtake the message, and an old one may come from the L1. The kernel `memory_fence` has both programs, and each element of its output is checked.",
          "消息与标志之间要有 `__threadfence()`，写的一方和读的一方都要有；它规定本线程访问的次序：其他线程不会先看到它之后的访问、后看到它之前的访问；与屏障不同，它不等其他线程。`volatile` 只保证每次访问都真正发生、不把值留在寄存器里，并不保证次序：没有栅栏时，标志可能先于消息到达，读到的也可能是 L1 里的旧消息。内核 `memory_fence` 有这两种程序，输出的每个元素都会检查。"
        ]]
      }
    ]
};

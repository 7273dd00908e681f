/* The lessons in their order; each is a module that is loaded when it is opened. `recipe` names the recipe of a lesson
   that has no published table. */
export const LESSONS = [
  {
    "name": "offsets",
    "questions": 3,
    "title": ["What does a misaligned load cost?", "未对齐读取的代价有多大？"],
    "about": ["Offsets: loads and stores that start off a boundary", "偏移：不从边界开始的读取和写入"]
  },
  {
    "name": "unrolling",
    "questions": 3,
    "title": ["Do more loads a thread help?", "每线程多读几个，有用吗？"],
    "about": ["Unrolling, and a table that was not fair", "循环展开，以及一张不公平的表格"]
  },
  {
    "name": "layouts",
    "questions": 3,
    "title": ["Array of structures, or structure of arrays?", "结构数组，还是数组结构？"],
    "about": ["Layouts: efficiency is not speed", "布局：效率不等于速度"]
  },
  {
    "name": "blocks",
    "questions": 3,
    "title": ["How many threads should a block have?", "一个线程块该有多少线程？"],
    "about": ["Block sizes from 32 to 1024", "从 32 到 1024 的块大小"]
  },
  {
    "name": "shapes",
    "questions": 4,
    "title": ["Rows or columns?", "按行还是按列？"],
    "about": ["Block shapes, and row against column order", "块的形状，行序与列序"]
  },
  {
    "name": "occupancy",
    "questions": 2,
    "title": ["Is more occupancy faster?", "占用率越高越快吗？"],
    "about": ["Occupancy, against loads in a thread", "占用率与线程内的多次读取"]
  },
  {
    "name": "latency_hiding",
    "recipe": "latency_hiding",
    "questions": 2,
    "title": ["What hides a latency?", "什么能掩盖延迟？"],
    "about": ["Warps, or independent instructions", "线程束，或互不依赖的指令"]
  },
  {
    "name": "footprint",
    "recipe": "latency_by_footprint",
    "questions": 2,
    "title": ["How long does one load take?", "一次读取要多久？"],
    "about": ["Latency by footprint: L1, L2, memory", "不同数据量的延迟：L1、L2、显存"]
  },
  {
    "name": "banks",
    "recipe": "bank_strides",
    "questions": 4,
    "title": ["When do lanes wait for a bank?", "通道什么时候要等存储体？"],
    "about": ["Shared memory: strides, padding, transpose", "共享内存：步长、填充、转置"]
  },
  {
    "name": "paths",
    "recipe": "cache_paths",
    "questions": 2,
    "title": ["What if loads go past the L1?", "绕过 L1 会怎样？"],
    "about": ["Cache paths", "缓存路径"]
  },
  {
    "name": "strides",
    "questions": 3,
    "title": ["When does low efficiency hurt?", "效率低，什么时候才真的拖慢速度？"],
    "about": ["Strides and disorder", "步长与无序"]
  },
  {
    "name": "four_more",
    "recipe": "access_widths",
    "questions": 4,
    "title": ["Four more, shortly", "再来四个小问题"],
    "about": ["Widths, registers, barriers, atomic updates", "宽度、寄存器、屏障、原子更新"]
  },
  {
    "name": "multiprocessor",
    "recipe": "barriers",
    "questions": 5,
    "title": ["What fits a multiprocessor, and what must?", "一个多处理器放得下多少，又需要多少？"],
    "about": [
      "Occupancy and latency: registers, shared memory, blocks, barriers",
      "占用率与延迟：寄存器、共享内存、线程块、屏障"
    ]
  }
];

/* The tables of the posts: which recipe asks for it again, and which lesson says why. */
export const TABLES = [
  {
    "recipe": "read_segment_cached",
    "lesson": "offsets",
    "title": ["Misaligned loads through L1", "未对齐读取，经过 L1"]
  },
  {"recipe": "read_segment_uncached", "lesson": "paths", "title": ["Misaligned loads past L1", "未对齐读取，绕过 L1"]},
  {
    "recipe": "read_segment_unroll",
    "lesson": "unrolling",
    "title": ["Unrolling against misalignment", "循环展开与未对齐访问"]
  },
  {
    "recipe": "unroll_block_sweep",
    "lesson": "unrolling",
    "title": ["Block sizes of the unrolled kernel", "展开后的内核：块的大小"]
  },
  {"recipe": "write_segment", "lesson": "offsets", "title": ["Misaligned stores", "未对齐写入"]}, {
    "recipe": "aos_soa",
    "lesson": "layouts",
    "title": ["Array of structures, structure of arrays", "结构数组与数组结构（AoS、SoA）"]
  },
  {
    "recipe": "lane_patterns",
    "lesson": "offsets",
    "title": ["The diagrams: which lane asks for what", "示意图：各通道访问哪些数据"]
  },
  {
    "recipe": "vector_add_blocks",
    "lesson": "blocks",
    "title": ["Vector add by block size, with transfers", "向量加法按块大小，含传输"]
  },
  {
    "recipe": "matrix_1d_1d",
    "lesson": "blocks",
    "title": ["Matrix add, 1D grid and 1D block", "矩阵加法，一维网格、一维块"]
  },
  {
    "recipe": "matrix_2d_1d",
    "lesson": "blocks",
    "title": ["Matrix add, 2D grid and 1D block", "矩阵加法，二维网格、一维块"]
  },
  {
    "recipe": "matrix_row_major",
    "lesson": "shapes",
    "title": ["Matrix add, 2D grid and 2D block, rows", "矩阵加法，二维网格、二维块，行序"]
  },
  {
    "recipe": "matrix_column_major",
    "lesson": "shapes",
    "title": ["Matrix add, 2D grid and 2D block, columns", "矩阵加法，二维网格、二维块，列序"]
  },
  {
    "recipe": "sum_matrix_blocks",
    "lesson": "shapes",
    "title": ["Fifteen block shapes: time, occupancy, throughput", "十五种块形状：时间、占用率、吞吐量"]
  }
];

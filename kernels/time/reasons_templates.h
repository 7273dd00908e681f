/* The templates of reasons.c, English and Chinese side by side, so that both are changed together. A word in
   braces stands for a number of the prediction, or for the name of a bound. */
#pragma once

#include "kernels/time/counted.h"

/* clang-format off */
static const struct text_pair bound_names[TIME_BOUNDS] = {
    [TIME_LAUNCH] = {"the start of blocks", "线程块的启动"},
    [TIME_DRAM] = {"DRAM's bandwidth", "显存（DRAM）带宽"},
    [TIME_L2] = {"the way between the multiprocessors and the L2", "通往 L2 的通路"},
    [TIME_L1] = {"the L1", "一级缓存（L1）"},
    [TIME_LINES] = {"the lines of the L1", "一级缓存（L1）行占用"},
    [TIME_ISSUE] = {"the issue of instructions", "指令发射"},
    [TIME_LATENCY] = {"the latency of memory", "访存延迟"},
};

static const struct text_pair other_waits_name = {
    "waits for earlier instructions, barriers or banks of shared memory", "等待前面的指令、同步或共享内存的存储体"};
static const struct text_pair constant_words_name = {"different words of constant memory", "常量内存中不同的字"};
static const struct text_pair stays_name = {"stores that stay in the L2", "写入后留在 L2 中的数据"};

static const struct text_pair limited = {"Limited by {limiter}: ", "瓶颈是{limiter}："};
static const struct text_pair limited_close = {
    "Limited by {limiter} and, close behind it with {second_us} us, by {second}: ",
    "瓶颈是{limiter}，{second}（{second_us} us）紧随其后："};
static const struct text_pair mostly_fixed = {
    "Of {total_us} us, {floor_us} us are an empty kernel's and {ramp_us} us those of the first block and the last stores: they weigh less only in a larger launch. ",
    "{total_us} us 中，空内核占 {floor_us} us，首个线程块的启动与最后的写入占 {ramp_us} us：只有更大的一次启动才能摊薄它们。"};

/* The limiter, with its ceiling. */
static const struct text_pair facts[TIME_BOUNDS] = {
    [TIME_LAUNCH] = {
        "{amount} blocks start one after the other, one every {each_ns} ns: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
        "{amount} 个线程块逐个启动，每 {each_ns} ns 一个：{total_us} us 中启动就占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"},
    [TIME_DRAM] = {
        "DRAM reads {read}, 64 bytes at a time, and writes {written}, at {gbps} GB/s at most: {limit_us} us of {total_us} us, so DRAM is at work for {dram_pct} % of the time.",
        "DRAM 要读 {read}（每次 64 字节）、写 {written}，最高 {gbps} GB/s：{total_us} us 中占 {limit_us} us，即 {dram_pct} % 的时间都在工作。"},
    [TIME_L2] = {
        "{amount} {unit} (one for each line stored, as many again or half the sectors stored, whichever is more, and the lines of loads times the part of their sectors that misses the L1), {ceiling} a microsecond at most: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
        "共 {amount} 个传输单元（写入的每条缓存行计一个；其数据另计，取缓存行数与写入扇区数一半中的较大者；读取的缓存行数乘以其扇区未命中 L1 的比例），每微秒至多 {ceiling} 个：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"},
    [TIME_L1] = {
        "{amount} {unit}, {ceiling} a microsecond at most: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
        "每个 SM 的 L1 要访问 {amount} 次（读取的缓存行与共享内存的行各计一次），每微秒至多 {ceiling} 次：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"},
    [TIME_LINES] = {
        "each load in flight occupies a line for {latency_ns} ns; {amount} {unit}, {ceiling} a microsecond at most: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
        "每个在途读取要占用一条缓存行 {latency_ns} ns；每个 SM 共 {amount} 行，每微秒至多 {ceiling} 行：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"},
    [TIME_ISSUE] = {
        "{amount} {unit} besides those that the first block's time covers, {ceiling} a microsecond at most: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
        "除首个线程块的时间已包含的以外，每个 SM 要发射 {amount} 条指令，每微秒至多 {ceiling} 条：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"},
    [TIME_LATENCY] = {
        "on average a multiprocessor keeps {in_flight} in flight, and a load takes {latency_ns} ns, so that DRAM has work for {dram_pct} % of the {total_us} us, the launch itself included. From a busy memory a load takes {loaded_ns} ns, which needs {needed} in flight.",
        "每个 SM 平均只有 {in_flight} 在途，一次读取需 {latency_ns} ns，因此 {total_us} us（含启动本身）中 DRAM 只有 {dram_pct} % 的时间在工作。显存繁忙时一次读取需 {loaded_ns} ns，要有 {needed} 在途才能占满带宽。"},
};

/* Follows the percentage for which DRAM has work, where the bound of DRAM includes stores that stay in the L2. */
static const struct text_pair stays_too = {
    " Of DRAM's {dram_us} us, {dirty_us} us are of stores that stay in the L2.",
    "DRAM 一项共 {dram_us} us，其中 {dirty_us} us 属于写入后留在 L2 中的数据。"};

/* What would have to change for the launch to take as long as the second bound. */
static const struct text_pair remedies[TIME_BOUNDS] = {
    [TIME_LAUNCH] = {
        " With {allowed} blocks for the same work, larger ones or with more work a thread, this limit would be {second_us} us, as is that of {second}.",
        "若加大线程块，或让每个线程多做几份工作，把线程块减到 {allowed} 个，启动只需 {second_us} us，与{second}所需相当。"},
    [TIME_DRAM] = {" Only fewer bytes would take less than {limit_us} us.", "只有减少读写的字节数，才能少于 {limit_us} us。"},
    [TIME_L2] = {
        " With {allowed}, because the lanes of a warp touch fewer lines, this limit would be {second_us} us, as is that of {second}.",
        "若合并访问，使每个线程束触及更少的缓存行，减到 {allowed} 个，只需 {second_us} us，与{second}所需相当。"},
    [TIME_L1] = {
        " With {allowed}, because the lanes of a warp touch fewer lines, or banks of shared memory conflict less, this limit would be {second_us} us, as is that of {second}.",
        "若合并访问，使每个线程束触及更少的缓存行，或减少共享内存的存储体冲突，减到 {allowed} 次，只需 {second_us} us，与{second}所需相当。"},
    [TIME_LINES] = {
        " With {allowed}, because lanes touch fewer lines, this limit would be {second_us} us, as is that of {second}; less shared memory beside the L1 helps as well.",
        "若每个线程束触及更少的缓存行，减到 {allowed} 行，只需 {second_us} us，与{second}所需相当；少用共享内存、把空间让给 L1 也有帮助。"},
    [TIME_ISSUE] = {
        " With {allowed}, by wider accesses, more elements a thread or less arithmetic, this limit would be {second_us} us, as is that of {second}.",
        "若用更宽的访问、让每个线程处理更多元素或减少运算，把指令减到 {allowed} 条，只需 {second_us} us，与{second}所需相当。"},
    [TIME_LATENCY] = {
        " {more} times as much would do: more loads a thread before the first one is used, or more than the {warps} warps that are resident.",
        "在途量提高到 {more} 倍即可：让每个线程在首次使用数据之前多发出几个读取，或让驻留的线程束多于现在的 {warps} 个。"},
};

/* TIME_ISSUE, where words of constant memory are most of it. */
static const struct text_pair constant_words = {
    "the lanes of a warp that load different words get them one after the other, {words_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
    "一个线程束的各通道读取不同的字时，只能逐字取得：{total_us} us 中占 {words_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"};
static const struct text_pair constant_words_remedy = {
    " Lanes that load the same word get it at once; data that each lane indexes by itself are loaded faster from shared or global memory.",
    "各通道读取同一个字时可一次取得；各通道下标不同的数据，放在共享内存或全局内存中读取更快。"};

/* DRAM, where moving bytes is not all of its time: opened pages, or stores that stay in the L2. */
static const struct text_pair dram_opens = {
    "DRAM reads {read}, 64 bytes at a time, and writes {written}, {moved_us} us at {gbps} GB/s, and opens pages of which it reads little, {opened_us} us more: {limit_us} us of {total_us} us.",
    "DRAM 要读 {read}（每次 64 字节）、写 {written}，按 {gbps} GB/s 需 {moved_us} us；频繁打开只读取一小部分的 DRAM 页又需 {opened_us} us：{total_us} us 中共占 {limit_us} us。"};
static const struct text_pair dram_both = {
    "DRAM reads {read}, 64 bytes at a time, and writes {written}, {moved_us} us at {gbps} GB/s, opens pages of which it reads little, {opened_us} us more, and what is stored and stays in the L2 takes {dirty_us} us: {limit_us} us of {total_us} us.",
    "DRAM 要读 {read}（每次 64 字节）、写 {written}，按 {gbps} GB/s 需 {moved_us} us；频繁打开只读取一小部分的 DRAM 页又需 {opened_us} us，写入后留在 L2 中的数据需 {dirty_us} us：{total_us} us 中共占 {limit_us} us。"};
static const struct text_pair dram_opens_remedy = {
    " Fewer bytes would take less time, or such that lie together.",
    "只有减少读写的字节数，或让它们在地址上更集中，才会更快。"};
static const struct text_pair dram_dirty = {
    "DRAM reads {read}, 64 bytes at a time, and writes {written}, {moved_us} us at {gbps} GB/s, and what is stored and stays in the L2 takes {dirty_us} us more: {limit_us} us of {total_us} us.",
    "DRAM 要读 {read}（每次 64 字节）、写 {written}，按 {gbps} GB/s 需 {moved_us} us；写入后留在 L2 中的数据又需 {dirty_us} us：{total_us} us 中共占 {limit_us} us。"};

/* No more warps fit. */
static const struct text_pair full_remedy = {
    " {more} times as much would do: more loads a thread before the first one is used, for no more than the {warps} warps fit.",
    "在途量提高到 {more} 倍即可：驻留的线程束已达上限 {warps} 个，只能让每个线程在首次使用数据之前多发出几个读取。"};

/* The launch has too few blocks. */
static const struct text_pair few_remedy = {
    " {more} times as much would do: there are blocks for {places_pct} % of what the multiprocessors hold at a time, so more of them, smaller ones or a larger launch, or more loads a thread before the first one is used.",
    "在途量提高到 {more} 倍即可：线程块只够各 SM 可容纳量的 {places_pct} %，应增加线程块（用更小的块，或更大的启动），或让每个线程在首次使用数据之前多发出几个读取。"};

static const struct text_pair few_chain_remedy = {
    " Fewer waits one after the other would take less: there are blocks for {places_pct} % of what the multiprocessors hold at a time.",
    "减少前后依赖的等待才会更快：线程块只够各 SM 可容纳量的 {places_pct} %。"};

/* Nearly all of the time is fixed. */
static const struct text_pair the_rest = {"The rest is limited by {limiter}: {limit_us} us.", "其余部分的瓶颈是{limiter}：{limit_us} us。"};

/* Sectors that come back from the L2 to the SMs, faster than DRAM would deliver them. */
static const struct text_pair back = {
    "{amount} {unit}, one a cycle for each at most, {ceiling} a microsecond: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
    "L2 要向各 SM 送回 {amount} 个扇区，每个 SM 每周期至多一个，每微秒共 {ceiling} 个：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"};
static const struct text_pair back_remedy = {
    " Only what the L1 keeps, or fewer bytes, would take less time.",
    "只有让 L1 留住数据，或减少字节数，才会更快。"};

/* All request the same few addresses, so that few slices of the L2 answer one after the other. */
static const struct text_pair slice = {
    "{amount} {unit} of the L2, {ceiling} a microsecond at most: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
    "{amount} 个请求集中到 L2 的少数分片上，每微秒至多 {ceiling} 个：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"};
static const struct text_pair slice_remedy = {
    " Loads of more different addresses, or through the L1, would spread them.",
    "让读取分散到更多地址，或经由 L1，才能分摊这些请求。"};

/* Enough is in flight: the chain of waits takes long. */
static const struct text_pair chain = {
    "blocks in a row on each multiprocessor: {rounds}; waits for loads in a row in each: {waits}, {wait_ns} ns each with the instructions between: {limit_us} us of {total_us} us, while DRAM has work for {dram_pct} % of the time.",
    "线程块分 {rounds} 轮先后执行，每轮中一个线程束要先后等待 {waits} 次，连同其间的指令每次 {wait_ns} ns：{total_us} us 中占 {limit_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"};
static const struct text_pair chain_remedy = {
    " Fewer waits one after the other, or more than the {warps} warps that are resident, would take less.",
    "减少前后依赖的等待，或让驻留的线程束多于现在的 {warps} 个，才会更快。"};
static const struct text_pair full_chain_remedy = {
    " The {warps} resident warps are the most; fewer waits one after the other would take less.",
    "驻留的 {warps} 个线程束已是上限；减少前后依赖的等待才会更快。"};

/* A block waits for other things than loads. */
static const struct text_pair rounds_only = {
    "blocks in a row on each multiprocessor: {rounds}; resident warps: {warps_there}; {limit_us} us of {total_us} us, of which loads are waited for {wait_us} us, while DRAM has work for {dram_pct} % of the time.",
    "线程块在每个 SM 上分 {rounds} 轮先后执行，每次驻留 {warps_there} 个线程束：{total_us} us 中占 {limit_us} us，其中等待读取 {wait_us} us，而 DRAM 只有 {dram_pct} % 的时间在工作。"};
static const struct text_pair rounds_remedy = {
    " More resident warps, fewer instructions and barriers in a row, or fewer rounds with more work a thread would take less.",
    "让更多线程束驻留，减少前后依赖的指令与同步，或让每个线程多做几份工作以减少轮数，才会更快。"};
static const struct text_pair few_rounds_remedy = {
    " Fewer instructions and barriers in a row would take less: there are blocks for {places_pct} % of what the multiprocessors hold at a time.",
    "减少前后依赖的指令与同步才会更快：线程块只够各 SM 可容纳量的 {places_pct} %。"};
static const struct text_pair full_rounds_remedy = {
    " The {warps} resident warps are the most; fewer instructions and barriers in a row, or fewer rounds with more work a thread would take less.",
    "驻留的 {warps} 个线程束已是上限；减少前后依赖的指令与同步，或让每个线程多做几份工作以减少轮数，才会更快。"};

static const struct text_pair no_prediction = {"No time is predicted: {why_not}.", "不作时间预测：{why_not}。"};
static const struct text_pair no_constants = {
    "A time is made of the constants of a GPU, and none are known of {device}.",
    "预测时间要用 GPU 的模型常数，而没有 {device} 的常数。"};

static const struct text_pair changed = {
    "{field} {to} instead of {from}: {then_us} us, {ratio_pct} % of {total_us} us; then {limiter} limits.",
    "{field} 由 {from} 改为 {to}：预计 {then_us} us，为 {total_us} us 的 {ratio_pct} %；此时瓶颈是{limiter}。"};

static const struct text_pair unit_names[TIME_BOUNDS] = {
    [TIME_LAUNCH] = {"the start of blocks", "线程块启动"},
    [TIME_DRAM] = {"DRAM", "DRAM"},
    [TIME_L2] = {"the crossbar between the multiprocessors and the L2", "SM 与 L2 之间的交叉开关"},
    [TIME_L1] = {"the L1", "L1"},
    [TIME_ISSUE] = {"the issue of instructions", "指令发射"},
};
static const struct text_pair way_name = {"the way between DRAM and the L2", "DRAM 与 L2 之间的通路"};
static const struct text_pair slice_name = {"the busiest slice of the L2", "最忙的 L2 分片"};
static const struct text_pair counted_texts[] = {
    [COUNTED_NO_CASE] = {
        "DRAM's bytes or the duration were not counted.",
        "没有 DRAM 字节数或时长的计数。"},
    [COUNTED_UNIT] = {
        "The counters show {unit_name} at {busiest_pct} % of what it can do, the most of what was counted.",
        "计数器显示{unit_name}达到其上限的 {busiest_pct} %，在已计数的部件中最高。"},
    [COUNTED_STARTS] = {
        "The blocks' starts, one after the other, take {busiest_pct} % of the duration that was counted, more than any unit was busy.",
        "线程块逐个启动占计数时长的 {busiest_pct} %，高于任何部件的繁忙程度。"},
    [COUNTED_SHORT] = {
        "Too short to tell: what any launch takes to begin and to end is more than a fifth of the duration, so that no unit can be busy for most of it. The busiest was {unit_name}, at {busiest_pct} % of what it can do.",
        "时间太短，无法判断：任何启动都有的开头与结尾超过了计数时长的五分之一，没有部件能在大部分时间里繁忙。最忙的是{unit_name}，达到其上限的 {busiest_pct} %。"},
    [COUNTED_WAITS] = {
        "No unit was above {busiest_pct} % of what it can do ({unit_name}): the warps wait.",
        "没有部件超过其上限的 {busiest_pct} %（{unit_name}）：线程束在等待。"},
    [COUNTED_OPEN] = {
        "Of what was counted nothing was above {busiest_pct} % of what it can do ({unit_name}): the warps wait, or a unit is busy that was not counted. \"counters\" with these would tell: " COUNTED_METRICS ".",
        "已计数的部件均未超过其上限的 {busiest_pct} %（{unit_name}）：线程束可能在等待，也可能是未计数的部件繁忙。在 \"counters\" 中加上以下各项即可分辨：" COUNTED_METRICS "。"},
};
/* clang-format on */

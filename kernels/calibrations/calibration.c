/* The meanings of the constants, and the shipped calibrations. */
#include "kernels/calibrations/calibration.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/model/arch.h"
#include "kernels/model/product.h"

/* clang-format off */
static const struct calibration_about about[CALIBRATION_CONSTANTS] = {
    [CALIBRATION_FLOOR] = {"floor_us", "us", {"an empty kernel, measured as cold samples are", "空内核，按冷启动样本测得"}, {"each experiment's own", "每个实验自己的"}, false},
    [CALIBRATION_LAUNCH] = {"launch_ns", "ns", {"between the starts of two blocks, whole device", "整个设备相继启动两个块的间隔"}, {"vector_add in blocks of 32, large: time over blocks", "vector_add，32 线程的块，大规模：时间除以块数"}, true},
    [CALIBRATION_SLOT] = {"slot_ns", "ns", {"a block's place stands idle between two blocks", "两个块之间，块的位置空着的时间"}, {"write_only in blocks of 32, one block an SM: time over rounds", "write_only，32 线程的块，每个 SM 一块：时间除以轮数"}, true},
    [CALIBRATION_REQUEST] = {"request_ns", "ns", {"a block lasts longer for each load or store request of its warps", "线程束每多一个读写请求，块延长的时间"}, {"the same in blocks of 256 to 1024; read_offset_unroll by unroll", "同上，256 至 1024 线程的块；read_offset_unroll 按展开次数"}, true},
    [CALIBRATION_EXTRA] = {"extra_line_ns", "ns", {"and for each line of a request beyond the first", "请求每多一条缓存行，再延长的时间"}, {"sum_matrix_2d in column order, few blocks an SM", "sum_matrix_2d，列序，每个 SM 几个块"}, true},
    [CALIBRATION_TAIL] = {"tail_ns", "ns", {"the end of the grid, and the last stores on their way", "网格收尾，以及最后的写入在途"}, {"copy of one wave, less the floor and the ramp", "copy，一轮，减去空内核与起步"}, true},
    [CALIBRATION_DRAM_LATENCY] = {"dram_latency_ns", "ns", {"a load from DRAM, nothing else going on", "设备空闲时从 DRAM 读取一次"}, {"pointer_chase, cold", "pointer_chase，冷启动"}, false},
    [CALIBRATION_L2_LATENCY] = {"l2_latency_ns", "ns", {"a load from the L2", "从 L2 读取一次"}, {"pointer_chase, hot", "pointer_chase，热启动"}, false},
    [CALIBRATION_QUEUE] = {"queue", "1", {"latency of a busy memory system over that of an idle one, less 1", "存储系统繁忙时的延迟除以空闲时的，减 1"}, {"read_offset in blocks of 256 by resident warps, 8 to 64", "read_offset，256 线程的块，按驻留线程束数 8 至 64"}, true},
    [CALIBRATION_WRITES] = {"writes", "1", {"how much more than a byte that is read a byte that is written makes others wait", "写一个字节使其他访问等待的时间，是读一个字节的几倍"}, {"copy against read_only, by resident warps", "copy 对 read_only，按驻留线程束数"}, true},
    [CALIBRATION_SECTOR] = {"sector_ns", "ns", {"a warp waits longer for each 32 bytes that it reads from DRAM at once", "一次从 DRAM 每多读 32 字节，线程束多等的时间"}, {"read_offset_unroll by unroll, one block an SM", "read_offset_unroll 按展开次数，每个 SM 一块"}, true},
    [CALIBRATION_BANDWIDTH] = {"bandwidth_gbps", "GB/s", {"DRAM", "DRAM"}, {"stream_triad and read_offset_unroll4, large", "stream_triad 和 read_offset_unroll4，大规模"}, true},
    [CALIBRATION_ACTIVATE] = {"activate_ps", "ps", {"a page of DRAM is opened, whole device", "整个设备打开一个 DRAM 页"}, {"gather over everything, beyond the L2, less bytes over bandwidth", "gather，范围为整个数组且超出 L2，减去字节除以带宽"}, true},
    [CALIBRATION_DIRTY] = {"dirty_mb", "MB", {"what the L2 keeps of what was read and written", "读写的数据有多少留在 L2 里"}, {"copy by size, the slope below and above", "copy，按规模，两段的斜率"}, true},
    [CALIBRATION_FLIT] = {"flit_ps", "ps", {"a line asked for, the head of a line stored, or up to 64 bytes of it, from the SMs to the L2, whole device", "整个设备从 SM 到 L2 请求一条缓存行，或写入一条缓存行的头、其中至多 64 字节"}, {"transpose naive_row, or column order in blocks of 256x1: time over flits", "transpose naive_row，或 256x1 的块列序：时间除以 flit 数"}, true},
    [CALIBRATION_NARROW] = {"narrow_flits", "flits", {"more for a line of which lanes store 8 bytes each, less than 64 in all", "各通道写 8 字节、合计不足 64 字节时，每条缓存行的额外代价"}, {"transpose of doubles, against floats", "transpose，double 对 float"}, true},
    [CALIBRATION_SLICE] = {"slice_per_ns", "requests/ns", {"that one slice of the L2 answers", "L2 的一个分片所能回答的请求"}, {"broadcast of one word past the L1", "broadcast，一个字，绕过 L1"}, true},
    [CALIBRATION_STEP] = {"step_ns", "ns", {"a barrier, or the end of a block, for each of its warps", "一道屏障或块的结束，每个线程束"}, {"barrier_phases by phases, and by warps", "barrier_phases 按阶段数，以及按线程束数"}, true},
    [CALIBRATION_TAG] = {"tag_cycles", "cycles", {"an SM looks up a line that a load touches", "SM 查找读取所碰到的一条缓存行"}, {"taken as given", "直接采用"}, false},
    [CALIBRATION_ISSUE] = {"issue_per_cycle", "instructions", {"that an SM issues a cycle", "SM 每周期发射的指令"}, {"gather within blocks, and arithmetic", "块内的 gather，以及算术"}, true},
    [CALIBRATION_WORD] = {"word_cycles", "cycles", {"another word of constant memory", "常量内存里再读一个字"}, {"read_const, a word a lane", "read_const，每通道一个字"}, true},
};
/* clang-format on */

const struct calibration_about *calibration_about(enum calibration_constant constant)
{
    return &about[constant];
}

static const struct calibration shipped[] = {
#include "kernels/calibrations/h200.inc"
#include "kernels/calibrations/h100.inc"
};

int calibration_count(void)
{
    return (int)(sizeof shipped / sizeof *shipped);
}

const struct calibration *calibration_at(int index)
{
    return &shipped[index];
}

const struct calibration *calibration_find(const char *name)
{
    for (int i = 0; i < calibration_count(); i++)
        if (strcasecmp(shipped[i].name, name) == 0)
            return &shipped[i];
    return NULL;
}

const struct calibration *calibration_of_arch(const char *arch)
{
    for (int i = 0; i < calibration_count(); i++)
        if (strcmp(calibration_at(i)->arch, arch) == 0)
            return calibration_at(i);
    return NULL;
}

const struct calibration *calibration_of_product(const char *text)
{
    char arch[PRODUCT_ARCH_BYTES];
    const char *own = product_own(text);
    size_t length = strlen(own);
    if (!product_arch(text, arch))
        return NULL;
    if (strncasecmp(text, "sm_", 3) == 0 || isdigit((unsigned char)*text))
        return calibration_of_arch(arch);
    for (int i = 0; i < calibration_count(); i++) {
        const char *name = product_own(calibration_at(i)->name);
        if (strncasecmp(name, own, length) == 0 && !isalnum((unsigned char)name[length]))
            return calibration_at(i);
    }
    return NULL;
}

void calibration_facts(const struct calibration *calibration, struct device_facts *facts)
{
    const struct arch *arch = arch_find(calibration->arch);
    *facts = (struct device_facts){
        .backend = "cuda",
        .uuid = "calibrated", /* of no device, so that it differs from any peer's */
        .multiprocessors = calibration->sms,
        .warp_size = ARCH_WARP_THREADS,
        .max_threads_per_block = arch ? arch->threads_per_block : 1024,
        .max_threads_per_multiprocessor = arch ? arch->warps_per_sm * ARCH_WARP_THREADS : 2048,
        .max_block = {1024, 1024, 64},
        .max_grid = {2147483647, 65535, 65535},
        .shared_bytes_per_block_optin = arch ? arch->shared.per_block_bytes : 0,
        .memory_bytes = UINT64_MAX,
        .clock_khz = calibration->clock_khz,
        .numa_node = FACTS_NO_NODE,
    };
    snprintf(facts->name, sizeof facts->name, "%s", calibration->name);
    snprintf(facts->arch, sizeof facts->arch, "%s", calibration->arch);
}

/* The meanings of the constants, and the shipped calibrations. */
#include "kernels/calibrations/calibration.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/model/arch.h"

/* clang-format off */
static const struct calibration_about about[CALIBRATION_CONSTANTS] = {
    [CALIBRATION_FLOOR] = {"floor_us", "us", "an empty kernel, measured as cold samples are", "each experiment's own", false},
    [CALIBRATION_LAUNCH] = {"launch_ns", "ns", "between the starts of two blocks, whole device", "vector_add in blocks of 32, large: time over blocks", true},
    [CALIBRATION_SLOT] = {"slot_ns", "ns", "a block's place stands idle between two blocks", "write_only in blocks of 32, one block an SM: time over rounds", true},
    [CALIBRATION_REQUEST] = {"request_ns", "ns", "a block lasts longer for each load or store request of its warps", "the same in blocks of 256 to 1024; read_offset_unroll by unroll", true},
    [CALIBRATION_EXTRA] = {"extra_line_ns", "ns", "and for each line of a request beyond the first", "sum_matrix_2d in column order, few blocks an SM", true},
    [CALIBRATION_TAIL] = {"tail_ns", "ns", "the end of the grid, and the last stores on their way", "copy of one wave, less the floor and the ramp", true},
    [CALIBRATION_DRAM_LATENCY] = {"dram_latency_ns", "ns", "a load from DRAM, nothing else going on", "pointer_chase, cold", false},
    [CALIBRATION_L2_LATENCY] = {"l2_latency_ns", "ns", "a load from the L2", "pointer_chase, hot", false},
    [CALIBRATION_QUEUE] = {"queue", "1", "latency of a busy memory system over that of an idle one, less 1", "read_offset in blocks of 256 by resident warps, 8 to 64", true},
    [CALIBRATION_WRITES] = {"writes", "1", "how much more than a byte that is read a byte that is written makes others wait", "copy against read_only, by resident warps", true},
    [CALIBRATION_SECTOR] = {"sector_ns", "ns", "a warp waits longer for each 32 bytes that it reads from DRAM at once", "read_offset_unroll by unroll, one block an SM", true},
    [CALIBRATION_BANDWIDTH] = {"bandwidth_gbps", "GB/s", "DRAM", "stream_triad and read_offset_unroll4, large", true},
    [CALIBRATION_ACTIVATE] = {"activate_ps", "ps", "a page of DRAM is opened, whole device", "gather over everything, beyond the L2, less bytes over bandwidth", true},
    [CALIBRATION_DIRTY] = {"dirty_mb", "MB", "what the L2 keeps of what was read and written", "copy by size, the slope below and above", true},
    [CALIBRATION_FLIT] = {"flit_ps", "ps", "a line asked for, or up to 64 bytes stored, from the SMs to the L2, whole device", "transpose naive_row, or column order in blocks of 256x1: time over flits", true},
    [CALIBRATION_NARROW] = {"narrow_flits", "flits", "more for a line of which lanes store 8 bytes each, less than 64 in all", "transpose of doubles, against floats", true},
    [CALIBRATION_SLICE] = {"slice_per_ns", "requests/ns", "that one slice of the L2 answers", "broadcast of one word past the L1", true},
    [CALIBRATION_STEP] = {"step_ns", "ns", "a barrier, or the end of a block, for each of its warps", "barrier_phases by phases, and by warps", true},
    [CALIBRATION_TAG] = {"tag_cycles", "cycles", "an SM looks up a line that a load touches", "taken as given", false},
    [CALIBRATION_ISSUE] = {"issue_per_cycle", "instructions", "that an SM issues a cycle", "gather within blocks, and arithmetic", true},
    [CALIBRATION_WORD] = {"word_cycles", "cycles", "another word of constant memory", "read_const, a word a lane", true},
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

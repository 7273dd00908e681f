/* The table of architectures. */
#include "kernels/model/arch.h"

#include <stddef.h>
#include <string.h>

#define KB 1024u

/* clang-format off */
/* Per SM, per block, per thread, the unit, to whom, warps of the launch check. */
#define REGS_SM10 {8192, 8192, 124, 256, ARCH_REGISTERS_TO_BLOCKS, 1}
#define REGS_SM12 {16384, 16384, 124, 512, ARCH_REGISTERS_TO_BLOCKS, 1}
#define REGS_FERMI {32768, 32768, 63, 64, ARCH_REGISTERS_TO_WARPS, 2}
#define REGS(per_sm, per_thread) {per_sm, 65536, per_thread, 256, ARCH_REGISTERS_TO_WARPS, 4}

/* Per SM, per block, the unit, reserved in each block, whether parameters lie there. */
#define SHARED_SM1X {16 * KB, 16 * KB, 512, 16, true}
#define SHARED(per_sm_kb, per_block_kb, unit_bytes) {(per_sm_kb) * KB, (per_block_kb) * KB, unit_bytes, 0, false}
#define SHARED_1K(per_sm_kb, per_block_kb) {(per_sm_kb) * KB, (per_block_kb) * KB, 128, 1 * KB, false}

/* L1 for loads, what it brings, stores joined, which lanes form a request, banks of shared memory, loads by the
   read-only path, local memory in L1. */
#define HALF_WARPS_IN_ORDER {ARCH_L1_NEVER, 0, true, ARCH_REQUEST_HALF_WARP_IN_ORDER, ARCH_BANKS_HALF_WARP, false, false}
#define HALF_WARPS {ARCH_L1_NEVER, 0, true, ARCH_REQUEST_HALF_WARP, ARCH_BANKS_HALF_WARP, false, false}
#define LINES {ARCH_L1_BY_DEFAULT, 128, true, ARCH_REQUEST_WARP_PARTS, ARCH_BANKS_QUARTERS, false, true}
#define LINES_ASKED {ARCH_L1_ON_REQUEST, 128, true, ARCH_REQUEST_WARP_PARTS, ARCH_BANKS_WIDE, true, true}
#define L2_ALONE {ARCH_L1_NEVER, 0, true, ARCH_REQUEST_WARP_PARTS, ARCH_BANKS_WIDE, false, true}
#define L2_OR_LDG {ARCH_L1_NEVER, 0, true, ARCH_REQUEST_WARP_PARTS, ARCH_BANKS_WIDE, true, true}
#define L2_SECTORS {ARCH_L1_NEVER, 32, false, ARCH_REQUEST_WARP, ARCH_BANKS_NARROW, true, false}
#define SECTORS {ARCH_L1_BY_DEFAULT, 32, false, ARCH_REQUEST_WARP, ARCH_BANKS_NARROW, true, true}
#define SECTORS_ASKED {ARCH_L1_ON_REQUEST, 32, false, ARCH_REQUEST_WARP, ARCH_BANKS_NARROW, true, false}
#define SECTORS_ASKED_LOCAL {ARCH_L1_ON_REQUEST, 32, false, ARCH_REQUEST_WARP, ARCH_BANKS_NARROW, true, true}

/* Warps, cycles, instructions each. One scheduler took four cycles for a warp; two took two cycles, on
   sm_21 for a pair of instructions of one warp; four take one, on Kepler for a pair. */
#define QUARTER {1, 4, 1}
#define HALVES {2, 2, 1}
#define HALVES_PAIRS {2, 2, 2}
#define TWO {2, 1, 1}
#define FOUR {4, 1, 1}
#define FOUR_PAIRS {4, 1, 2}

/* Register latencies, the last column: 22 and 11 cycles from the guides of their time; 6 on Maxwell and
   Pascal from Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018); 4
   on 7.x from the guide; 4 on sm_80 from Abdelkhalik et al., "Demystifying the Nvidia Ampere Architecture
   through Microbenchmarking and Instruction-level Analysis" (2022); 4 on sm_90 measured on an H200: 1024
   dependent FFMA of one warp take 4.00 cycles each.
   Columns: name, warps, blocks, threads a block, sub-partitions, registers, shared memory, barriers, access,
   issue, latency, FP32 lanes. */
static const struct arch archs[] = {
    {"sm_10",  24, 8,  512,  1, REGS_SM10,         SHARED_SM1X,          0,  HALF_WARPS_IN_ORDER, QUARTER, 22, 8},
    {"sm_11",  24, 8,  512,  1, REGS_SM10,         SHARED_SM1X,          0,  HALF_WARPS_IN_ORDER, QUARTER, 22, 8},
    {"sm_12",  32, 8,  512,  1, REGS_SM12,         SHARED_SM1X,          0,  HALF_WARPS,    QUARTER,      22, 8},
    {"sm_13",  32, 8,  512,  1, REGS_SM12,         SHARED_SM1X,          0,  HALF_WARPS,    QUARTER,      22, 8},
    {"sm_20",  48, 8,  1024, 2, REGS_FERMI,        SHARED(48, 48, 128),  0,  LINES,         HALVES,       22, 32},
    {"sm_21",  48, 8,  1024, 2, REGS_FERMI,        SHARED(48, 48, 128),  0,  LINES,         HALVES_PAIRS, 22, 48},
    {"sm_30",  64, 16, 1024, 4, REGS(65536, 63),   SHARED(48, 48, 256),  0,  L2_ALONE,      FOUR_PAIRS,   11, 192},
    {"sm_35",  64, 16, 1024, 4, REGS(65536, 255),  SHARED(48, 48, 256),  0,  L2_OR_LDG,     FOUR_PAIRS,   11, 192},
    {"sm_37",  64, 16, 1024, 4, REGS(131072, 255), SHARED(112, 48, 256), 0,  LINES_ASKED,   FOUR_PAIRS,   11, 192},
    {"sm_50",  64, 32, 1024, 4, REGS(65536, 255),  SHARED(64, 48, 256),  0,  L2_SECTORS,    FOUR,         6,  128},
    {"sm_52",  64, 32, 1024, 4, REGS(65536, 255),  SHARED(96, 48, 256),  0,  SECTORS_ASKED, FOUR,         6,  128},
    {"sm_60",  64, 32, 1024, 2, REGS(65536, 255),  SHARED(64, 48, 256),  0,  SECTORS,       TWO,          6,  64},
    {"sm_61",  64, 32, 1024, 4, REGS(65536, 255),  SHARED(96, 48, 256),  0,  SECTORS_ASKED_LOCAL, FOUR,         6,  128},
    {"sm_70",  64, 32, 1024, 4, REGS(65536, 255),  SHARED(96, 96, 256),  0,  SECTORS,       FOUR,         4,  64},
    {"sm_72",  64, 32, 1024, 4, REGS(65536, 255),  SHARED(96, 96, 256),  0,  SECTORS,       FOUR,         4,  64},
    {"sm_75",  32, 16, 1024, 4, REGS(65536, 255),  SHARED(64, 64, 256),  0,  SECTORS,       FOUR,         4,  64},
    {"sm_80",  64, 32, 1024, 4, REGS(65536, 255),  SHARED_1K(164, 163),  0,  SECTORS,       FOUR,         4,  64},
    {"sm_86",  48, 16, 1024, 4, REGS(65536, 255),  SHARED_1K(100, 99),   0,  SECTORS,       FOUR,         0,  128},
    {"sm_87",  48, 16, 1024, 4, REGS(65536, 255),  SHARED_1K(164, 163),  0,  SECTORS,       FOUR,         0,  128},
    {"sm_89",  48, 24, 1024, 4, REGS(65536, 255),  SHARED_1K(100, 99),   0,  SECTORS,       FOUR,         0,  128},
    {"sm_90",  64, 32, 1024, 4, REGS(65536, 255),  SHARED_1K(228, 227),  64, SECTORS,       FOUR,         4,  128},
    {"sm_100", 64, 32, 1024, 4, REGS(65536, 255),  SHARED_1K(228, 227),  64, SECTORS,       FOUR,         0,  128},
    {"sm_103", 64, 32, 1024, 4, REGS(65536, 255),  SHARED_1K(228, 227),  64, SECTORS,       FOUR,         0,  128},
    {"sm_120", 48, 24, 1024, 4, REGS(65536, 255),  SHARED_1K(100, 99),   24, SECTORS,       FOUR,         0,  128},
    {"sm_121", 48, 24, 1024, 4, REGS(65536, 255),  SHARED_1K(100, 99),   24, SECTORS,       FOUR,         0,  128},
};
/* clang-format on */

int arch_count(void)
{
    return (int)(sizeof archs / sizeof *archs);
}

const struct arch *arch_at(int index)
{
    return &archs[index];
}

const struct arch *arch_find(const char *name)
{
    for (int i = 0; i < arch_count(); i++)
        if (strcmp(archs[i].name, name) == 0)
            return &archs[i];
    return NULL;
}

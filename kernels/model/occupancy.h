/* How much of a multiprocessor (SM) a launch can fill: arithmetic on the figures of arch.h.

   Blocks of an SM = the least of what its warp slots, block slots, registers, shared memory and barriers
   each allow. The rules are those of NVIDIA's cuda_occupancy.h for sm_30 and newer (tests/model keeps
   thousands of its answers) and of the CUDA C Programming Guide, "Hardware Multithreading", for older ones:
   - warps of a block: threads / 32, rounded up;
   - registers: a warp's (32 x registers a thread) round up to the unit, and as many warps fit as fit into
     each sub-partition by itself; on 1.x a block's registers round up, its warps counted in twos;
   - shared memory: a block's, with what the system reserves, rounds up to the unit; on 1.x the kernel's
     parameters lie there too;
   - barriers: from sm_90 on an SM has a number of them, taken by the blocks that use any.
   limited_by names what binds; cuda_occupancy.h, where barriers do, also names the next one.
   From the guide's table, stricter than cuda_occupancy.h: 63 registers a thread on sm_30, 255 from sm_70 on.

   Not modelled: a smaller share of shared memory where the caller prefers L1, and a Fermi quirk of
   cuda_occupancy.h in CUDA 7.0 (registers by 128 instead of 64 for 21, 22, 29, 30, 37, 38, 45 or 46
   registers a thread). */
#pragma once

#include "base/error.h"
#include "kernels/model/arch.h"

enum occupancy_limit {
    OCCUPANCY_THREADS, /* warp slots of an SM, or threads a block */
    OCCUPANCY_BLOCKS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_BARRIERS,
    OCCUPANCY_LIMIT_COUNT
};

#define OCCUPANCY_UNLIMITED UINT32_MAX

struct occupancy_question {
    uint32_t threads_per_block;
    uint32_t registers_per_thread;   /* 0: none */
    uint64_t shared_bytes_per_block; /* static and dynamic, without what the system reserves */
    uint32_t parameter_bytes;        /* of the kernel; counted where they lie in shared memory: 1.x */
    uint32_t barriers_per_block;     /* 0 to 16; 1 for a kernel with __syncthreads() */
    uint64_t grid_blocks;            /* of the launch, for the waves; 0: not asked */
    uint32_t sms;                    /* of the device, for the waves; 0: not asked */
};

struct occupancy {
    uint32_t blocks_per_sm; /* 0: it cannot launch, because of what limited_by says */
    uint32_t warps_per_sm, warps_per_block;
    double theoretical;  /* warps_per_sm as a part of the SM's warp slots, 0 to 1 */
    unsigned limited_by; /* 1u << enum occupancy_limit, each that allows no more blocks */
    uint32_t blocks_by[OCCUPANCY_LIMIT_COUNT]; /* that each alone would allow; OCCUPANCY_UNLIMITED */
    /* A wave is what the device holds at once: sms * blocks_per_sm blocks. */
    uint64_t waves;        /* begun; 0 when not asked or when it cannot launch */
    double last_wave_fill; /* blocks in the last wave as a part of a full one; 0 without waves */
};

/* Answers for any question that is one; what cannot launch is an answer with 0 blocks. -1 and
   ERROR_INVALID when there are no threads in a block. Any thread. */
int occupancy_compute(const struct arch *arch, const struct occupancy_question *question,
                      struct occupancy *occupancy, struct error *error);

/* ---- how it depends on one figure ---- */

enum occupancy_axis { OCCUPANCY_BY_REGISTERS, OCCUPANCY_BY_SHARED, OCCUPANCY_BY_THREADS, OCCUPANCY_AXES };

/* A range of the figure, both ends included, over which as much fits: at to + 1 it is another. */
struct occupancy_step {
    uint64_t from, to;
    uint32_t blocks_per_sm, warps_per_sm;
};

enum { OCCUPANCY_STEPS = 64 };

/* The staircase: the occupancy over all values of one figure of the question that the architecture knows (registers
   of a thread from 1, bytes of shared memory of a block from 0, threads of a block from 1), the other figures as
   asked. Returns how many steps; 0: there are no threads in a block. */
int occupancy_staircase(const struct arch *arch, const struct occupancy_question *question,
                        enum occupancy_axis axis, struct occupancy_step steps[OCCUPANCY_STEPS]);

/* The steps beside the one that is asked for where another number of blocks fits: the last below the value asked that
   holds more blocks, and the first above it that holds fewer; NULL: there is none. */
struct occupancy_thresholds {
    const struct occupancy_step *more, *fewer;
};
struct occupancy_thresholds occupancy_thresholds(const struct occupancy_question *question,
                                                 enum occupancy_axis axis, const struct occupancy_step *steps,
                                                 int count);

/* "threads", "blocks", "registers", "shared_memory", "barriers"; static. */
const char *occupancy_limit_name(enum occupancy_limit limit);

/* Warps of an SM that keep its schedulers busy for so many cycles, rounded up: latency x warps that issue
   a cycle, divided by the independent instructions that each warp has to issue meanwhile
   (instruction-level parallelism, at least 1; counted in pairs where arch->issue.instructions is 2).
   Little's law; the guide's "Multiprocessor Level". It may be more than arch->warps_per_sm: then warps
   alone cannot hide it. */
uint64_t occupancy_warps_to_hide(const struct arch *arch, uint32_t latency_cycles, uint32_t parallelism);

/* Instructions in flight on an SM over the same time at its full rate, rounded up: L/4 on 1.x, L on
   sm_20, 2L on sm_21, 8L on Kepler, 4L on most since. */
uint64_t occupancy_instructions_to_hide(const struct arch *arch, uint32_t latency_cycles);

/* The facts of a kernel's machine code that its time depends on.

   A load does not wait; the first instruction that needs the loaded value does. On GPUs since sm_70 the
   compiler marks that in the instructions: a load names one of six scoreboards, and an instruction that needs
   the value waits for that one. So loads that are in flight together, and loads that wait for each other, are
   read from the instructions in their order, without running them.

   Where a kernel has several loops, "the loop" is the one that moves the most global memory in an iteration;
   one iteration of any other counts as straight code. */
#pragma once

#include "kernels/experiment.h"

enum { CODE_PASSES = 6 };

/* A part of a loop that the compiler unrolled: it does so many iterations of the source's loop at once. */
struct code_pass {
    uint32_t iterations;   /* of the source's loop */
    uint32_t instructions; /* of a warp */
    uint32_t waits;        /* latencies of global loads in a row */
    /* of a warp alone, besides the waits: the compiler encodes how long each instruction stalls */
    uint32_t cycles;
    uint32_t doubles; /* of the instructions: arithmetic of 64-bit floats */
};

struct code {
    uint32_t registers;      /* a thread */
    uint32_t local_bytes;    /* a thread: registers spilled to memory */
    uint32_t constant_bytes; /* __constant__ data of the kernel's file */
    uint32_t instructions;   /* of a warp, outside of the loop: on the path that moves the most bytes */
    uint32_t waits;          /* latencies of global loads there, in a row; 0: it loads nothing there */
    uint32_t cycles;         /* of a warp alone there, besides the waits */
    uint32_t doubles;        /* of the instructions there: arithmetic of 64-bit floats */
    uint32_t loads;          /* global loads there */
    uint32_t barriers;       /* there */
    uint32_t loop_loads;     /* global loads of one iteration of the source's loop; 0: none */
    uint32_t loop_barriers;  /* of one iteration */
    /* A thread's accesses to local memory, all outside of loops. */
    uint32_t local_load_bytes, local_store_bytes;
    /* Of one iteration of another loop, which has one barrier in each; 0: none. */
    uint32_t step_instructions, step_cycles;
    /* Of one iteration of a loop around the loop, without the loop; 0: none. */
    uint32_t around_instructions, around_cycles;
    /* The part of the code outside that only warps that store execute: behind the last barrier and the first
       exit; 0: none. */
    uint32_t last_instructions, last_cycles, last_stores;
    /* The code around the longer passes, executed once when there are at least longer_iterations; 0: none. */
    uint32_t longer_iterations, longer_instructions, longer_cycles;
    int passes;                         /* 0: no loop */
    struct code_pass pass[CODE_PASSES]; /* the longest first; the next one does what it leaves over */
};

/* Finds the code of the instance that a checked experiment runs (its type, load path, variant and index
   width), for an architecture or the nearest one in the tables; or the experiment's own. Returns the name of that
   architecture ("sm_90"), or NULL: no code of this kernel is known. Any thread. */
const char *machine_code_find(const struct experiment *experiment, const char *arch, struct code *code);

/* Threads of the warps of a checked experiment that have work, where no barrier holds the others. Any thread. */
uint64_t machine_code_threads(const struct experiment *experiment);

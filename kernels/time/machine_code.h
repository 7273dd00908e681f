/* What the compiler made of a kernel, as far as its time depends on it: read off the machine code, not off the source.

   A load does not wait; the first instruction that needs what it loads does. On GPUs since sm_70 the compiler says so in
   the instruction itself: a load names one of six scoreboards, and whoever needs the value waits for that one. So loads in
   flight together, and loads that wait for one another, are read off the instructions in order, without running them.

   Where a kernel has more than one loop, "the loop" is the one that moves the most global memory a turn, and one turn of
   any other counts as straight code. */
#ifndef COALESCED_KERNELS_TIME_MACHINE_CODE_H
#define COALESCED_KERNELS_TIME_MACHINE_CODE_H

#include "kernels/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CODE_PASSES = 6 };

/* One piece of a loop that the compiler unrolled: it takes so many turns of the source's loop at once. */
struct code_pass {
    uint32_t turns;        /* of the source's loop */
    uint32_t instructions; /* of a warp */
    uint32_t waits;        /* latencies of global loads, one after the other */
    uint32_t cycles; /* of a warp alone, besides: the compiler writes down how long each instruction stalls */
    uint32_t doubles; /* of the instructions: arithmetic of 64-bit floats */
};

struct code {
    uint32_t registers;    /* a thread */
    uint32_t local_bytes;  /* a thread: registers that were spilled to memory */
    uint32_t instructions; /* of a warp, outside of the loop: on the way that moves the most bytes */
    uint32_t waits;      /* latencies of global loads there, one after the other; 0: it loads nothing there */
    uint32_t cycles;     /* of a warp alone there, besides */
    uint32_t doubles;    /* of the instructions there: arithmetic of 64-bit floats */
    uint32_t loads;      /* global loads there */
    uint32_t barriers;   /* there */
    uint32_t loop_loads; /* global loads of one turn of the source's loop; 0: its loop loads nothing */
    uint32_t loop_barriers; /* of one turn */
    uint32_t step_instructions,
        step_cycles; /* of one turn of another loop, which has one barrier a turn; 0: none */
    uint32_t around_instructions,
        around_cycles; /* of one turn of a loop around the loop, without it; 0: none */
    /* Of those outside, for warps that store: behind the last barrier and the first way out; 0: none. */
    uint32_t last_instructions, last_cycles, last_stores;
    /* Around the longer passes: once, when at least so many turns are taken; 0: none. */
    uint32_t longer_turns, longer_instructions, longer_cycles;
    int passes;                         /* 0: no loop */
    struct code_pass pass[CODE_PASSES]; /* that of most turns first; what it leaves over the next one takes */
};

/* The code of the instance that a checked experiment runs (its type, load path, variant and width of indices), for an
   architecture, or for the nearest one that is known. Returns the name of the architecture that it is of ("sm_90"), or
   NULL: of this kernel none is known. Any thread. */
const char *machine_code_find(const struct experiment *experiment, const char *arch, struct code *code);

#ifdef __cplusplus
}
#endif
#endif

/* The state of a launch while it runs: memory, blocks, warps. */
#pragma once

#include "ptx/launch.h"
#include "ptx/program.h"

/* A generic address says by its upper bits which segment it belongs to: 1 TiB each, the contents in the middle. */
enum { SEGMENT_SHIFT = 40, PATHS_MAX = 160, WARPS_MAX = PTX_BLOCK_THREADS_MAX / LANES };

struct shadow;

/* Memory with one owner. */
struct segment {
    uint8_t *data;
    uint64_t base; /* virtual address of the first byte */
    uint64_t bytes;
    enum ptx_space space;
    bool present; /* false: there is no such segment */
    int buffer;   /* as in struct ptx_access */
    const char *name;
    unsigned element_bytes;
    bool read_only;
    uint8_t *defined;      /* a bit a byte; NULL: all is */
    struct shadow *shadow; /* NULL: races are not looked for */
};

/* Lanes of a warp that are at the same instruction; the lower entries of the stack wait. */
struct path {
    uint32_t pc, reconverge, mask;
    uint32_t function;
    bool waits; /* at a barrier, while others of the warp go on */
};

enum warp_state { WARP_RUNS, WARP_WAITS, WARP_ENDED };

struct machine;

struct warp {
    struct machine *run;
    uint8_t *frame;       /* of the function that is executed */
    uint32_t *predicates; /* likewise */
    struct path paths[PATHS_MAX];
    int top;
    uint32_t live;  /* lanes that have not ended */
    uint32_t carry; /* a flag a lane */
    unsigned number;
    enum warp_state state;
    /* While it waits: the instruction, the barrier, the threads that must arrive (0: all). */
    uint32_t barrier_pc;
    unsigned barrier, barrier_threads;
    uint32_t barrier_mask, barrier_votes; /* lanes that wait; predicates of bar.red */
    uint64_t time;                        /* instructions so far */
    uint8_t **frames;                     /* by function; NULL: not reachable */
    uint32_t **predicates_of;
    uint64_t (*together)[LANES]; /* by two lanes: the time when they last parted */
};

/* One launch. */
struct machine {
    const struct ptx_launch *launch;
    const struct ptx_module *module;
    const struct ptx_program *program;
    struct ptx_outcome *outcome;
    struct segment *segments; /* by address >> SEGMENT_SHIFT */
    unsigned segment_count;
    struct segment shared, local, parameters; /* local: of all threads, thread by thread */
    unsigned shared_segment, local_segment, parameter_segment;
    uint32_t local_bytes; /* a thread's */
    uint32_t *shared_offsets, *local_offsets;
    uint8_t *marks; /* functions that the entry reaches */
    struct arena arena;
    struct warp *warps;
    unsigned warp_count, threads;
    uint32_t block[3];
    uint64_t block_index;
    uint32_t epoch;        /* barriers of the whole block so far */
    unsigned arrived[16];  /* threads that did bar.arrive, by barrier */
    bool fenced, acquired; /* the block has done a fence of the device; an atomic or volatile access */
    uint32_t block_number; /* of those that were executed, from 1 on */
    uint32_t
        *released; /* by block number: the epoch up to which its stores are ordered before what acquires */
    uint32_t released_count;
    uint64_t shadow_bytes;
    uint64_t instructions_left;
    int64_t deadline; /* of the thread's processor time, ns; 0: none */
    bool over;        /* the budget is spent, or a fault ends the launch */
    uint64_t clock;
};

/* Which thread of the block a lane is. */
static inline unsigned state_thread(const struct warp *warp, int lane)
{
    return warp->number * LANES + (unsigned)lane;
}

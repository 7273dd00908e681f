/* What one warp accesses, lane by lane and in the order of its program, and the sums by instruction over the launch.

   Both come from the trace that access_count() makes: the body is run once more for the lanes of the chosen warp, in its
   block alone. An instruction is the n-th access of its kind, space and width in the body; a time around a loop over the
   grid, or around c.each_step(), is another time of the same. */
#ifndef COALESCED_KERNELS_MODEL_EXPLAIN_H
#define COALESCED_KERNELS_MODEL_EXPLAIN_H

#include "kernels/model/access.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EXPLAIN_INDEX_BYTES = 96, EXPLAIN_SECTORS = 2 * WARP_LANES };

struct explain_access {
    int instruction; /* index */
    int64_t time;    /* which of the warp's times of that instruction, from 0 on */
    int64_t
        first[WARP_LANES]; /* the lane's first byte, from the beginning of the array; -1: the lane is idle */
    struct shared_sums shared;       /* of this access; in other spaces 0 */
    char index[EXPLAIN_INDEX_BYTES]; /* the element by the thread: "i + 11"; "": not known */
};

/* A sector that an access touches: bit k of `used` is set where byte k is asked for. */
struct explain_sector {
    int64_t address;
    uint32_t used;
};

struct explain {
    /* What is asked for: a block of the grid, a warp of the block, how many times of one instruction and how many accesses
       are listed at most. */
    int64_t block[3], warp;
    int64_t times_max;
    int accesses_max;
    /* The answer. */
    int lanes;             /* threads of the warp */
    uint32_t active;       /* bit l: lane l accesses something */
    int64_t accesses_all;  /* of the warp, listed or not */
    int instruction_count; /* those of loops over the grid first, else in the order of the body */
    struct access_instruction *instructions;
    int access_count;
    struct explain_access *accesses; /* in the order of the warp's program */
};

/* Counts a checked experiment as access_count() does, and fills the answer for the block and the warp, which are in range.
   Any thread; takes some microseconds longer than access_count(). Whoever asks frees what it holds. 0, or -1: no memory. */
int explain_make(const struct experiment *experiment, struct access *access, struct explain *explain);

/* Frees what explain_make() put there, not the struct. */
void explain_free(struct explain *explain);

/* The sectors of an access in global memory, by address. Returns how many. */
int explain_sectors(const struct access_instruction *instruction, const struct explain_access *access,
                    struct explain_sector sectors[EXPLAIN_SECTORS]);

/* The bank (of 4 bytes) that holds a byte of shared memory. */
int explain_bank(int64_t byte);

#ifdef __cplusplus
}
#endif
#endif

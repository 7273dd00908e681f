/* Lists what one warp accesses, lane by lane and in the order of its program, with the sums by instruction over
   the launch.

   Both come from the trace of access_count(): the body runs once more for the lanes of the chosen warp, in its
   block alone. An instruction is the n-th access of its kind, space and width in the body; an iteration of a
   loop over the grid, or of c.each_step(), is another time of the same instruction. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/model/prediction.h"

__BEGIN_DECLS

enum { EXPLAIN_INDEX_BYTES = 96, EXPLAIN_SECTORS = 2 * WARP_LANES };

struct explain_access {
    int instruction; /* index */
    int64_t time;    /* number of the warp's time of that instruction, from 0 */
    /* The lane's first byte, from the beginning of the array; -1: the lane is idle. */
    int64_t first[WARP_LANES];
    struct shared_sums shared;       /* of this access; 0 in other spaces */
    char index[EXPLAIN_INDEX_BYTES]; /* the element in terms of the thread: "i + 11"; "": not known */
};

/* A sector that an access touches: bit k of `used` is set when byte k is requested. */
struct explain_sector {
    int64_t address;
    uint32_t used;
};

struct explain {
    /* The question: a block of the grid, a warp of the block, and the limits of listed times of one
       instruction and of listed accesses. */
    int64_t block[3], warp;
    int64_t line; /* of a source: only accesses of this line are listed; 0: all */
    int64_t times_max;
    int accesses_max;
    /* The answer. */
    int lanes;             /* threads of the warp */
    uint32_t active;       /* bit l: lane l accesses something */
    int64_t accesses_all;  /* of the warp, listed or not */
    int instruction_count; /* first those of loops over the grid, then the others, in the order of the body */
    struct access_instruction *instructions;
    int access_count;
    struct explain_access *accesses; /* in the order of the warp's program */
};

/* Counts a checked experiment as access_count() does, and fills the answer for the block and the warp, which
   must be in range. The caller frees it with explain_free(). Any thread; takes some microseconds longer than
   access_count(). Returns 0, or -1: no memory. */
int explain_make(const struct experiment *experiment, struct access *access, struct explain *explain);

/* Frees what explain_make() allocated, not the struct. */
void explain_free(struct explain *explain);

/* The sectors of an access in global memory, by address. Returns how many. */
int explain_sectors(const struct access_instruction *instruction, const struct explain_access *access,
                    struct explain_sector sectors[EXPLAIN_SECTORS]);

/* One transaction of an access to global memory: an aligned address and 32, 64 or 128 bytes. */
struct explain_transaction {
    int64_t address;
    int bytes, used_bytes; /* used: distinct bytes that lanes request */
    int sectors;           /* that are touched */
    int part; /* the half or quarter of the warp that requests it, from 0; -1: the whole warp does */
};

/* The transactions of an access in that unit, by part and address; parts: the number of requests of the warp's access, as
   prediction_parts() tells it. Returns the number of transactions. */
int explain_transactions(const struct access_instruction *instruction, const struct explain_access *access,
                         enum prediction_unit unit, int parts,
                         struct explain_transaction list[EXPLAIN_SECTORS]);

__END_DECLS

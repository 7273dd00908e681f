/* One instruction of a warp as the bytes that its lanes touch, and the sectors, lines or fetches from banks
   that these take. */
#pragma once

#include <stdint.h>

#include "kernels/model/access.h"

struct box {
    int64_t low[3], high[3]; /* blocks, high excluded */
    int64_t blocks() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
};

/* All that the counts depend on. Two equal patterns differ by whole lines at most. Compared byte by byte. */
struct pattern {
    bool shared;
    bool load;      /* a load of shared memory, whose lanes may share what is fetched */
    unsigned bytes; /* of a lane's access */
    int lanes;
    int lane[WARP_LANES]; /* the lane's number in the warp */
    uint64_t blocks;      /* of the box */
    box where;
    int64_t b[3];           /* bytes from block to block */
    int64_t at[WARP_LANES]; /* each lane's first byte at block 0, less a multiple of 256 */
};

/* The sums over all blocks of the box: in global memory, where each block is moved by b, and in shared
   memory, where all blocks do the same. */
access_sums pattern_global(const pattern &p);
shared_sums pattern_shared(const pattern &p);

/* The numbers of blocks of the box by residue: counts[r] blocks have the sum of b[i] * block[i] equal to r
   modulo `unit` bytes, PAGE_BYTES at most. */
void pattern_residues(const box &box, const int64_t b[3], int64_t unit, uint64_t counts[]);

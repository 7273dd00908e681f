/* One instruction of a warp as the bytes that its lanes touch: how many sectors, lines, or fetches from banks it takes. */
#ifndef COALESCED_KERNELS_MODEL_PATTERN_H
#define COALESCED_KERNELS_MODEL_PATTERN_H

#include <stdint.h>

#include "kernels/model/access.h"

struct box {
    int64_t low[3], high[3]; /* blocks, high excluded */
};

/* All that the counts depend on: two that are equal here differ by whole lines. Compared byte by byte. */
struct pattern {
    bool shared;
    bool load;      /* of shared memory: a load, of which lanes may share what comes */
    unsigned bytes; /* a lane */
    int lanes;
    int lane[WARP_LANES]; /* which lane's */
    uint64_t blocks;      /* of the box */
    box where;
    int64_t b[3];           /* bytes from block to block */
    int64_t at[WARP_LANES]; /* each lane's first byte at block 0, less a multiple of 256 */
};

/* Summed over all blocks of the box. The first for global memory, where each block is moved by b; the second for shared
   memory, where all blocks do the same. */
access_sums pattern_global(const pattern &p);
shared_sums pattern_shared(const pattern &p);

/* How many blocks of the box lie how far into a unit of `unit` bytes, PAGE_BYTES at most: counts[r] for the sum of
   b[i] * block[i], modulo the unit. */
void pattern_residues(const box &box, const int64_t b[3], int64_t unit, uint64_t counts[]);

/* Which of the 32 banks of 4 bytes holds a byte of shared memory. */
int pattern_bank(int64_t byte);

#endif

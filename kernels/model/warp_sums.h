/* What warp instructions touch, summed up: each is given as the bytes of its lanes in a box of blocks. The tracer and the
   executor of a user's kernel both count with it. One thread uses an object at a time. */
#pragma once

#include <vector>

#include "kernels/model/access.h"
#include "kernels/model/pattern.h"
#include "kernels/model/reach.h"

/* One instruction of one warp, in every block of a box. */
struct warp_access {
    access_kind kind;
    int space;
    unsigned bytes; /* of a lane's access */
    box where;
    int64_t b[3];          /* bytes from block to block, by axis */
    int lanes;             /* active ones, at least 1 */
    int64_t c[WARP_LANES]; /* the active lanes' first bytes, at block 0 */
    int lane[WARP_LANES];  /* their numbers in the warp */
};

class warp_sums
{
  public:
    /* `buffer_bytes`: the size of each buffer. */
    explicit warp_sums(const std::vector<int64_t> &buffer_bytes);

    /* Adds it to the sums of its instruction, `weight` times. In shared memory b must be 0. */
    void count(const warp_access &access, double weight, access_instruction &instruction);
    /* Adds it to what its blocks touch in all. */
    void reach_add(const warp_access &access, double weight);
    /* Called when all warps of these blocks are added; each block is counted `weight` times. */
    void end_blocks(const box &blocks, double weight);
    /* Multiplies what the blocks reach by `weight`, because only some of them were executed. The caller scales the sums of
       instructions with warp_sums_add(). */
    void scale(double weight);
    /* Drops what was reached since the last end_blocks(). */
    void forget();
    /* Fills load_reach and store_reach. */
    void reached(struct access *access);

    static pattern pattern_of(const warp_access &access);

  private:
    reach reach_[2];    /* of loads, of stores */
    pattern counted_{}; /* the last one, and its counts */
    access_sums global_{};
    shared_sums shared_{};
};

/* Adds counts `weight` times, rounded to whole ones. */
void warp_sums_add(access_instruction &to, const access_instruction &counts, double weight);

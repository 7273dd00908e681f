/* Counts the distinct units that a launch touches: sectors, lines and pages block by block, chunks over
   the whole grid. The tracer adds what each instruction of a warp touches in a box of blocks. Where the
   boxes of all warps overlap, a block's bytes are the same pattern from block to block, and the number of
   units depends on where the block begins within one. */
#pragma once

#include <array>
#include <map>
#include <vector>

#include "kernels/model/access.h"
#include "kernels/model/chunks.h"
#include "kernels/model/pattern.h"

/* The loads, or the stores, of one launch. */
class reach
{
  public:
    /* `buffer_bytes`: the size of each buffer. */
    explicit reach(const std::vector<int64_t> &buffer_bytes);

    /* Adds one instruction of a warp on buffer `which` in all blocks of a box: the first byte of each lane at
       block 0, and bytes from block to block. It is counted `weight` times. */
    void add(int which, const box &where, const int64_t b[3], const int64_t *first, int lanes, unsigned bytes,
             double weight);
    /* Counts what was added since the last call, which is all that touches the blocks of `grid`; each
       block is counted `weight` times. */
    void end_blocks(const box &grid, double weight);
    /* Multiplies all that was counted so far by `weight`, because only some of the blocks were executed. */
    void scale(double weight);
    /* Drops what was added since the last end_blocks(). */
    void forget();
    access_reach total();

  private:
    enum { SECTORS, LINES, PAGES, CHUNKS, UNITS };
    struct record {
        box where;
        int64_t b[3];
        std::vector<interval> touched; /* at block 0 */
    };
    using records = std::vector<const record *>;
    using counts = std::array<double, UNITS>;
    /* Intervals by their bytes from block to block, in the blocks of one box, as they lie in its first
       block. */
    using moved = std::map<std::array<int64_t, 3>, std::vector<interval>>;
    struct buffer_reach {
        int64_t bytes;
        std::map<std::array<int64_t, 9>, record> added;
        uint64_t asked = 0;    /* bytes requested, instruction by instruction, in one block of each record */
        double weight = 1;     /* the largest of the instructions' */
        uint64_t distinct = 0; /* distinct bytes among them, approximately */
        int cuts = 0;
        counts blocks{}; /* of the blocks that end_blocks() counts */
        counts all{};
        std::vector<repeated_interval> touched; /* touched by the whole grid */
        bool sampled = false;                   /* `touched` is incomplete */
        double scaled = 1;                      /* the product of what scale() was given */
    };

    void divide(buffer_reach &to, const box &region, const records &from);
    void count_box(buffer_reach &to, const box &region, const records &from);
    void count_blocks(buffer_reach &to, const box &region, const moved &by_step);
    void count_each(buffer_reach &to, const box &region, const moved &by_step);

    std::vector<buffer_reach> buffers_;
    bool exact_ = true;
};

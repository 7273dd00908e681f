/* What a launch touches, each thing once: sectors, lines and pages block by block, chunks over the whole grid. The tracer
   hands in what each instruction of a warp touches in a box of blocks; where all warps' boxes overlap, a block's bytes are
   the same pattern from block to block, and how many units they lie in depends on where the block begins within one. */
#ifndef COALESCED_KERNELS_MODEL_REACH_H
#define COALESCED_KERNELS_MODEL_REACH_H

#include <array>
#include <map>
#include <vector>

#include "kernels/model/access.h"
#include "kernels/model/chunks.h"
#include "kernels/model/pattern.h"

/* Loads, or stores, of one launch. */
class reach
{
  public:
    /* `buffer_bytes`: of each buffer. */
    explicit reach(const std::array<int64_t, KERNEL_BUFFERS> &buffer_bytes);

    /* One instruction of a warp on buffer `which` in all blocks of a box: the first byte of each lane at block 0, and bytes from block to
       block. `weight`: it stands for so many. */
    void add(int which, const box &where, const int64_t b[3], const int64_t *first, int lanes, unsigned bytes,
             double weight);
    /* All that touches the blocks of `grid` was added; each of them stands for `weight`. */
    void end_blocks(const box &grid, double weight);
    /* Forgets what was added since. */
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
    /* By bytes from block to block, in the blocks of one box: what its first block touches. */
    using moved = std::map<std::array<int64_t, 3>, std::vector<interval>>;
    struct buffer {
        int64_t bytes;
        std::map<std::array<int64_t, 9>, record> added;
        uint64_t asked = 0;    /* bytes, instruction by instruction, in one block of each record */
        double weight = 1;     /* the highest of the instructions' */
        uint64_t distinct = 0; /* bytes among them, about */
        int cuts = 0;
        counts blocks{}; /* of the blocks that are being counted */
        counts all{};
        std::vector<repeated_interval> touched; /* by the whole grid */
        bool sampled = false;                   /* not all that is touched is in there */
    };

    void divide(buffer &to, const box &region, const records &from);
    void count_box(buffer &to, const box &region, const records &from);
    void count_blocks(buffer &to, const box &region, const moved &by_step);
    void count_each(buffer &to, const box &region, const moved &by_step);

    std::vector<buffer> buffers_;
    bool exact_ = true;
};

#endif

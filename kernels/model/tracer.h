/* The implementation of access.h: indices that are affine in the block's coordinates, and the tracer that records
   accesses by them. */
#ifndef COALESCED_KERNELS_MODEL_TRACER_H
#define COALESCED_KERNELS_MODEL_TRACER_H

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/device/kernel_entry.h"
#include "kernels/model/affine.h"
#include "kernels/model/explain.h"
#include "kernels/model/pattern.h"
#include "kernels/model/reach.h"

/* What threads do besides accesses, added up. */
struct paces {
    double steps = 0, barriers = 0;
    void add(const paces &more, double times)
    {
        steps += more.steps * times;
        barriers += more.barriers * times;
    }
};

/* One thread of the block, as the tracer sees it. */
struct lane {
    int64_t x, y, z;
};

static const int64_t constant_bytes = 4; /* a word of constant memory */

/* Records the accesses of a body; the context in model_way.h calls it. At most one traces at a time in each thread. */
class tracer
{
  public:
    tracer(const run &r, struct access *sums, struct explain *explain);

    /* Traces the whole grid, then the explained warp if there is one; `body` runs one lane (see at() and block()). */
    void trace(void (*body)(tracer &));

    const run &what() const { return what_; }
    const lane &at() const { return lane_; }
    affine block(int axis) const;
    void access(access_kind kind, int space, unsigned bytes, const affine &byte_index);
    bool negative(const affine &d);
    /* The lane takes so many steps of a loop or a calculation. */
    void take_steps(int64_t steps)
    {
        if (inside_ == virtual_)
            of_box_.steps += (double)std::max<int64_t>(0, steps) * weight_;
    }
    /* It uses as an index what it loaded. */
    void take_index() { follows_ = true; }
    void take_barrier()
    {
        if (inside_ == virtual_)
            of_box_.barriers += weight_;
    }
    bool concrete() const { return concrete_; } /* one block at a time: every index is a number */

    /* The body of a loop over the grid that covers `count` threads: iteration j of block b is virtual block b + j x grid.
       What stands outside of such loops is counted over the real grid, what stands inside over the virtual one. For a warp
       that is listed the loop is gone through. */
    template <class F> void loop(int64_t count, F f)
    {
        if (!listing_ && !virtual_)
            return;
        inside_ = true;
        if (listing_) {
            int64_t width = (int64_t)what_.domain.block.x, threads = (int64_t)what_.grid.x * width;
            int64_t first = box_.low[0] * width + lane_.x;
            repeat_first(first < count ? (count - first - 1) / threads + 1 : 0, explain_->times_max,
                         [&] { f(), turn_++; });
        } else {
            f();
        }
        turn_ = 0;
        inside_ = false;
    }
    /* A step that is taken so many times: a part of them is traced and stands for all. What a step accesses are the same
       instructions every time. */
    template <class F> void repeat(int64_t steps, F f)
    {
        /* Not only those that are listed: what stands behind may go by what the steps have carried on. */
        repeat_first(steps, listing_ ? std::max(explain_->times_max, steps_traced) : steps_traced, f);
    }

  private:
    template <class F> void repeat_first(int64_t steps, int64_t most, F f)
    {
        int64_t traced = std::min(steps, most);
        int64_t times = times_;
        counters before = number_;
        if (traced)
            weight_ = (double)steps / (double)traced;
        for (int64_t i = 0; i < traced; i++) {
            number_ = before;
            if (i + 1 == traced) /* the last one that is listed, and those that are not */
                times_ = times * (1 + steps - traced);
            f();
        }
        weight_ = 1;
        times_ = times;
    }

    enum {
        WIDTHS = 5,
        KINDS = 2 * ACCESS_KINDS * SPACES * WIDTHS /* inside a loop over the grid, and not */
    };
    static constexpr int64_t steps_traced = 256;
    using counters = std::array<int, KINDS>;

    /* One instruction of a warp: the same kind of access to the same buffer, the n-th of each lane. */
    struct site {
        int instruction; /* index */
        int space;
        bool uniform;
        unsigned bytes;
        double weight; /* how many times it stands for */
        int64_t time;  /* of its instruction, while listing */
        int lanes;
        int64_t b[3];          /* bytes from block to block */
        int64_t c[WARP_LANES]; /* bytes, at block 0 */
        int lane[WARP_LANES];  /* which lane's */
    };

    void trace_grid();
    void trace_warp(int warp, const box &all);
    void trace_box(int warp, const box &wanted);
    void count_site(const site &s);
    void reach_site(const site &s);
    void end_blocks(const box &blocks, double weight);
    pattern pattern_of(const site &s) const;
    int instruction(int kind, const explain_instruction &made);
    void forget_instructions(size_t from);
    void add_up();
    box block_at(int64_t block) const;
    int warps() const;
    void trace_block(const box &block);
    bool block_works(const box &block);
    shape working_grid();
    void trace_block_by_block(size_t from);
    /* listing.cpp */
    void list();
    void list_site(int site, const affine &byte_index);
    bool list_lanes(bool concrete);
    struct explain_access listed(const site &s) const;
    void describe_index(const site &s, char *text) const;

    const run what_;
    struct access *sums_;
    struct explain *explain_; /* NULL: nothing is listed */
    void (*body_)(tracer &) = nullptr;
    shape grid_{};                    /* the real one, or the virtual one of the loops */
    reach reach_[2];                  /* loads, stores */
    paces of_box_, of_grid_, of_all_; /* of all lanes; of all threads */
    bool follows_ = false;
    bool virtual_ = false, inside_ = false;
    bool concrete_ = false;
    bool listing_ = false;
    double weight_ = 1;
    int64_t times_ = 1;  /* the same while listing: of which the first is traced */
    int64_t turn_ = 0;   /* of a loop over the grid, while listing */
    uint64_t noted_ = 0; /* accesses */
    lane lane_{};
    int lane_of_warp_ = 0;
    box box_{};
    pattern counted_; /* last, and what came of it */
    access_sums global_{};
    shared_sums shared_{};
    std::vector<box> waiting_;
    std::vector<site> sites_;
    std::vector<int> site_of_[KINDS]; /* by kind and the lane's ordinal: index into sites_ */
    counters ordinal_;                /* accesses of that kind by this lane so far */
    std::vector<explain_instruction> instructions_;
    std::vector<int> instruction_of_[KINDS]; /* by kind and number: index into instructions_ */
    counters number_;                        /* instructions of that kind that this lane has passed */
    /* While listing: the warp's sites in the order of its program, how far this lane is in it, and how many times it has
       done each instruction. */
    std::vector<int> order_;
    size_t reached_ = 0;
    std::vector<int64_t> done_;
};

#endif

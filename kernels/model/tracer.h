/* The tracer behind access.h: runs a body with indices that are affine in the block's coordinates, and
   sums up its accesses. warp_listing.h derives from it what lists one warp. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/device/kernel_entry.h"
#include "kernels/model/affine.h"
#include "kernels/model/warp_sums.h"

/* What threads do besides accesses, summed up. */
struct thread_work {
    double steps = 0, barriers = 0;
    void add(const thread_work &other, double times)
    {
        steps += other.steps * times;
        barriers += other.barriers * times;
    }
};

/* The coordinates of one thread within its block. */
struct lane {
    int64_t x, y, z;
};

/* Records the accesses of a body; the context in model_way.h calls it. At most one traces at a time in each
   thread. */
class tracer
{
  public:
    tracer(const run &r, struct access *sums);

    /* Traces the whole grid, and fills the sums. `body` runs one lane: see at() and block(). */
    void trace(void (*body)(tracer &));

    /* For the context of the body. */
    const run &what() const { return what_; }
    const lane &at() const { return lane_; }
    affine block(int axis) const;
    void access(access_kind kind, int space, unsigned bytes, const affine &byte_index);
    bool negative(const affine &d);
    /* The lane does so many steps of a loop or a calculation. */
    void add_steps(int64_t steps)
    {
        if (inside_ == virtual_)
            of_box_.steps += (double)std::max<int64_t>(0, steps) * weight_;
    }
    void add_barrier()
    {
        if (inside_ == virtual_)
            of_box_.barriers += weight_;
    }
    /* The lane uses a loaded value as an index. */
    void note_dependent_load() { has_dependent_loads_ = true; }
    /* The lane polls memory until another thread has written there. The number of its accesses is not known. */
    void note_wait() { waits_ = true; }
    bool concrete() const { return concrete_; } /* one block at a time: every index is a number */

    /* The body of a loop over the grid that covers `count` threads: iteration j of block b is virtual
       block b + j x grid. What stands outside of such loops is counted over the real grid, what stands
       inside over the virtual one. While a warp is listed, the loop runs iteration by iteration. */
    template <class F> void loop(int64_t count, F f)
    {
        if (!listing_ && !virtual_)
            return;
        inside_ = true;
        if (listing_) {
            int64_t width = (int64_t)what_.domain.block.x, threads = (int64_t)what_.grid.x * width;
            int64_t first = box_.low[0] * width + lane_.x;
            repeat_first(first < count ? (count - first - 1) / threads + 1 : 0, listed_times_most_,
                         [&] { f(), iteration_++; });
        } else {
            f();
        }
        iteration_ = 0;
        inside_ = false;
    }
    /* A step that is done so many times: the first ones are traced and weighted. The accesses of a step
       are the same instructions every time. While a warp is listed, all that would be traced otherwise is
       traced too: the code behind may depend on what the steps computed. */
    template <class F> void repeat(int64_t steps, F f)
    {
        repeat_first(steps, listing_ ? std::max(listed_times_most_, steps_traced) : steps_traced, f);
    }

  protected:
    /* One instruction of a warp: the same kind of access to the same buffer, the n-th of each lane. Its box is the
       tracer's present one. */
    struct site : warp_access {
        int instruction; /* index into instructions_ */
        bool uniform;    /* all lanes have the same b */
        double weight;   /* how many times it is counted */
        int64_t time;    /* of its instruction, while a warp is listed */
    };

    ~tracer() = default; /* nobody deletes one by this class */
    /* Called when the sums are complete, while this is still the thread's tracer. */
    virtual void counted() {}
    /* While a warp is listed: one more lane accesses at this site. */
    virtual void accessed(int site, const affine &byte_index) = 0;

    void trace_box(int warp, const box &wanted);
    /* Puts back what an interrupted trace of a body left. */
    void reset_body();

    const run what_;
    box box_{}; /* the blocks that are traced together */
    bool concrete_ = false;
    bool listing_ = false;
    /* Iterations of a loop over the grid that are traced while a warp is listed. */
    int64_t listed_times_most_ = 0;
    int64_t times_ = 1; /* how many times the traced access stands for, while a warp is listed */
    int lane_of_warp_ = 0;
    std::vector<site> sites_;
    std::vector<access_instruction> instructions_;

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
            if (i + 1 == traced) /* the last traced step also stands for those that are not traced */
                times_ = times * (1 + steps - traced);
            f();
        }
        weight_ = 1;
        times_ = times;
    }

    enum {
        WIDTHS = 5,
        /* of the suite's kernels, which are what is traced: a lane's counters of all kinds are cleared for each lane */
        TRACED_SPACES = SUITE_BUFFERS + SPACES - SPACE_SHARED,
        KINDS =
            2 * ACCESS_KINDS * TRACED_SPACES * WIDTHS /* times 2: inside a loop over the grid, and outside */
    };
    static int traced_space(int space)
    {
        return space < SUITE_BUFFERS ? space : space - (SPACE_SHARED - SUITE_BUFFERS);
    }
    static constexpr int64_t steps_traced = 256;
    using counters = std::array<int, KINDS>;

    void trace_grid();
    void trace_warp(int warp, const box &all);
    void count_site(site &s);
    void end_blocks(const box &blocks, double weight);
    int instruction(int kind, const access_instruction &made);
    void forget_instructions(size_t from);
    box block_at(int64_t block) const;
    int warps() const;
    void trace_block(const box &block);
    bool block_works(const box &block);
    shape working_grid();
    void trace_block_by_block(size_t from);

    struct access *sums_;
    void (*body_)(tracer &) = nullptr;
    shape grid_{};                          /* the real one, or the virtual one of the loops */
    thread_work of_box_, of_grid_, of_all_; /* of all lanes of a warp; of all threads */
    bool has_dependent_loads_ = false;
    bool waits_ = false;
    bool virtual_ = false, inside_ = false; /* grid_ is the virtual one; inside a loop over the grid */
    double weight_ = 1;
    int64_t iteration_ = 0; /* of a loop over the grid, while a warp is listed */
    uint64_t noted_ = 0;    /* accesses so far */
    lane lane_{};
    warp_sums counts_;
    std::vector<box> waiting_;               /* boxes that are still to be traced */
    std::vector<int> site_of_[KINDS];        /* by kind and the lane's ordinal: index into sites_ */
    counters ordinal_;                       /* accesses of that kind by this lane so far */
    std::vector<int> instruction_of_[KINDS]; /* by kind and number: index into instructions_ */
    counters number_;                        /* instructions of that kind that this lane has passed */
};

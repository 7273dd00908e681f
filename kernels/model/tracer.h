/* The implementation of access.h: indices that are affine in the block's coordinates, and the tracer that records
   accesses by them. */
#ifndef COALESCED_KERNELS_MODEL_TRACER_H
#define COALESCED_KERNELS_MODEL_TRACER_H

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "kernels/device/entry.h"
#include "kernels/model/access.h"

/* c + b[0] * block_x + b[1] * block_y + b[2] * block_z */
struct affine {
    int64_t c;
    int64_t b[3];

    affine(int64_t constant = 0) : c(constant), b{0, 0, 0} {}
    affine(int64_t constant, int64_t x, int64_t y, int64_t z) : c(constant), b{x, y, z} {}
    bool is_constant() const { return !b[0] && !b[1] && !b[2]; }
};

/* Thrown where a body does with an index what is not affine; the tracer then goes block by block. */
struct not_affine {
};

/* Is d < 0? For all blocks of the box that is being traced, which is narrowed to those that agree with its first. */
bool tracer_negative(const affine &d);

inline affine operator+(affine l, const affine &r)
{
    l.c += r.c;
    for (int i = 0; i < 3; i++)
        l.b[i] += r.b[i];
    return l;
}
inline affine operator*(affine l, int64_t r)
{
    l.c *= r;
    for (int i = 0; i < 3; i++)
        l.b[i] *= r;
    return l;
}
inline affine operator*(const affine &l, const affine &r)
{
    if (r.is_constant())
        return l * r.c;
    if (l.is_constant())
        return r * l.c;
    throw not_affine();
}
inline affine operator-(const affine &l, const affine &r)
{
    return l + r * -1;
}
inline affine operator-(const affine &r)
{
    return r * -1;
}
inline int64_t constant_of(const affine &a)
{
    if (!a.is_constant())
        throw not_affine();
    return a.c;
}
/* By a constant that divides every coefficient an affine index is divided, or reduced, for all blocks at once: then only
   the constant part decides. Block coordinates and indices are not negative. */
inline bool divides(const affine &l, int64_t by)
{
    return by > 0 && l.c >= 0 && l.b[0] % by == 0 && l.b[1] % by == 0 && l.b[2] % by == 0;
}
inline affine operator/(const affine &l, const affine &r)
{
    int64_t by = constant_of(r);
    if (!divides(l, by))
        return constant_of(l) / by;
    return affine(l.c / by, l.b[0] / by, l.b[1] / by, l.b[2] / by);
}
inline affine operator%(const affine &l, const affine &r)
{
    int64_t by = constant_of(r);
    return divides(l, by) ? l.c % by : constant_of(l) % by;
}
inline affine operator^(const affine &l, const affine &r)
{
    return constant_of(l) ^ constant_of(r);
}
inline affine operator&(const affine &l, const affine &r)
{
    return constant_of(l) & constant_of(r);
}
inline affine operator|(const affine &l, const affine &r)
{
    return constant_of(l) | constant_of(r);
}
inline affine operator<<(const affine &l, const affine &r)
{
    return l * ((int64_t)1 << constant_of(r));
}
inline affine operator>>(const affine &l, const affine &r)
{
    return l / ((int64_t)1 << constant_of(r)); /* indices are not negative */
}
inline bool operator<(const affine &l, const affine &r)
{
    return tracer_negative(l - r);
}
inline bool operator>(const affine &l, const affine &r)
{
    return r < l;
}
inline bool operator>=(const affine &l, const affine &r)
{
    return !(l < r);
}
inline bool operator<=(const affine &l, const affine &r)
{
    return !(r < l);
}
inline bool operator==(const affine &l, const affine &r)
{
    return !(l < r) && !(r < l);
}
inline bool operator!=(const affine &l, const affine &r)
{
    return !(l == r);
}
inline affine &operator+=(affine &l, const affine &r)
{
    return l = l + r;
}
inline affine &operator-=(affine &l, const affine &r)
{
    return l = l - r;
}
inline affine &operator*=(affine &l, const affine &r)
{
    return l = l * r;
}
inline affine &operator/=(affine &l, const affine &r)
{
    return l = l / r;
}
inline affine &operator%=(affine &l, const affine &r)
{
    return l = l % r;
}
inline affine &operator++(affine &i)
{
    return i += 1;
}
inline affine &operator--(affine &i)
{
    return i -= 1;
}
inline affine operator++(affine &i, int)
{
    affine before = i;
    ++i;
    return before;
}
inline affine operator--(affine &i, int)
{
    affine before = i;
    --i;
    return before;
}

/* One thread of the block, as the tracer sees it. */
struct lane {
    int64_t x, y, z;
};

struct box {
    int64_t low[3], high[3]; /* blocks, high excluded */
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_KINDS };

/* In place of a buffer: the block's shared memory. */
enum { SPACE_SHARED = KERNEL_BUFFERS, SPACES };

/* Records the accesses of a body; the context in model_way.h calls it. At most one traces at a time in each thread. */
class tracer
{
  public:
    tracer(const run &r, struct access *sums);

    /* Traces the whole grid; `body` runs one lane (see at() and block()). */
    void trace(void (*body)(tracer &));

    const run &what() const { return what_; }
    const lane &at() const { return lane_; }
    affine block(int axis) const;
    void access(access_kind kind, int space, unsigned bytes, const affine &byte_index);
    bool negative(const affine &d);
    bool concrete() const { return concrete_; } /* one block at a time: every index is a number */

    /* The body of a loop over the grid: iteration j of block b is virtual block b + j x grid. What stands outside of such
       loops is traced over the real grid, what stands inside over the virtual one. */
    template <class F> void loop(F f)
    {
        if (!virtual_)
            return;
        inside_ = true;
        f();
        inside_ = false;
    }
    /* A step that is taken so many times: a part of them is traced and stands for all. */
    template <class F> void repeat(int64_t steps, F f)
    {
        int64_t most = STEPS_TRACED, traced = steps < most ? steps : most;
        if (traced)
            weight_ = (double)steps / (double)traced;
        for (int64_t i = 0; i < traced; i++)
            f();
        weight_ = 1;
    }

  private:
    enum { WIDTHS = 5, KINDS = ACCESS_KINDS * SPACES * WIDTHS, STEPS_TRACED = 256 };

    /* One instruction of a warp: the same kind of access to the same buffer, the n-th of each lane. */
    struct site {
        access_kind kind;
        int space;
        bool uniform;
        unsigned bytes;
        double weight; /* how many times it stands for */
        int lanes;
        int64_t b[3];          /* bytes from block to block */
        int64_t c[WARP_LANES]; /* bytes, at block 0 */
        int lane[WARP_LANES];  /* which lane's */
    };

    /* What decides how many sectors, lines, or fetches an instruction takes. Two that are equal here differ by whole
       lines. Compared byte by byte. */
    struct pattern {
        bool shared;
        unsigned bytes;
        int lanes;
        int lane[WARP_LANES];
        uint64_t blocks;
        box where;
        int64_t b[3];
        int64_t at[WARP_LANES];
    };

    void trace_grid();
    void trace_warp(int warp, const box &all);
    void trace_box(int warp, const box &wanted);
    void count_site(const site &s);
    access_sums global_of(const pattern &p) const;
    shared_sums shared_of(const pattern &p) const;
    void trace_block(int64_t block);
    void trace_block_by_block();

    const run what_;
    struct access *sums_;
    void (*body_)(tracer &) = nullptr;
    shape grid_{}; /* the real one, or the virtual one of the loops */
    bool virtual_ = false, inside_ = false;
    bool concrete_ = false;
    double weight_ = 1;
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
    size_t ordinal_[KINDS];           /* accesses of that kind by this lane so far */
};

#endif

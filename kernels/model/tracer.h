/* The machinery behind access.h: indices affine in the block's coordinates, and what listens to them. */
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
inline int64_t constant_of(const affine &a)
{
    if (!a.is_constant())
        throw not_affine();
    return a.c;
}
inline affine operator/(const affine &l, const affine &r)
{
    return constant_of(l) / constant_of(r);
}
inline affine operator%(const affine &l, const affine &r)
{
    return constant_of(l) % constant_of(r);
}
inline affine operator^(const affine &l, const affine &r)
{
    return constant_of(l) ^ constant_of(r);
}
inline affine operator&(const affine &l, const affine &r)
{
    return constant_of(l) & constant_of(r);
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

/* One thread of the block, as the tracer sees it. */
struct lane {
    int64_t x, y, z;
};

struct box {
    int64_t low[3], high[3]; /* blocks, high excluded */
};

/* What the context of a body talks to. One run of it at a time a thread. */
class tracer
{
  public:
    tracer(const run &r, struct access *sums);

    /* Traces the whole grid; `body` runs one lane (see at() and block()). */
    void trace(void (*body)(tracer &));

    const run &what() const { return what_; }
    const lane &at() const { return lane_; }
    affine block(int axis) const;
    void access(bool store, int buffer, unsigned bytes, const affine &byte_index);
    bool negative(const affine &d);
    bool concrete() const { return concrete_; } /* one block at a time: every index is a number */

  private:
    enum { KINDS = 2 * KERNEL_BUFFERS * 3 };

    /* One instruction of a warp: the same kind of access to the same buffer, the n-th of each lane. */
    struct site {
        bool store, uniform;
        unsigned bytes;
        int lanes;
        int64_t b[3];          /* bytes from block to block */
        int64_t c[WARP_LANES]; /* bytes, at block 0 */
    };

    void trace_warp(int warp, const box &all);
    void trace_box(int warp, const box &wanted);
    void count_site(const site &s);
    void trace_block_by_block();

    const run what_;
    struct access *sums_;
    void (*body_)(tracer &) = nullptr;
    bool concrete_ = false;
    lane lane_{};
    box box_{};
    std::vector<box> waiting_;
    std::vector<site> sites_;
    std::vector<int> site_of_[KINDS]; /* by kind and the lane's ordinal: index into sites_ */
    size_t ordinal_[KINDS];           /* accesses of that kind by this lane so far */
};

#endif

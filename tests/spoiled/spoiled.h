/* Contexts that spoil a body on purpose: the test of the runner's test. Each way of spoiling must come out as
   not correct for every kernel, and SPOIL_NONE as correct. */
#pragma once

#include "kernels/device/kernel_entry.h"

enum spoil_how {
    SPOIL_NONE,
    SPOIL_DROP,    /* one store in a hundred is not done */
    SPOIL_SHIFT,   /* loads take the next element; of a kernel without loads the stores do */
    SPOIL_QUARTER, /* only the first quarter of each output is stored */
    SPOIL_BEYOND,  /* something is written one past the end */
    SPOILS
};

struct spoil {
    enum spoil_how how;
    bool stores_only;               /* the kernel loads nothing from global memory */
    long long count[SUITE_BUFFERS]; /* elements of each buffer */
};

#ifdef __cplusplus
#include "kernels/suite/suite.h"

#ifdef __CUDACC__
static __managed__ spoil spoil_now;
#define SPOILED __device__ __forceinline__
#else
extern "C" spoil spoil_now; /* one for all files: the contexts below are the same template in each */
#define SPOILED inline
#endif
extern "C" spoil_how spoil_wanted;

template <class Base> struct spoiled : Base {
    using T = typename Base::T;
    using I = typename Base::I;
    using Base::Base;

    SPOILED I elements(int b) const { return (I)spoil_now.count[b]; }
    /* The next one, of the last itself (a guard's pattern would overflow an integer's sum, and all of them
       once more would be right where the order does not matter). */
    SPOILED I shifted(I i, I count) const
    {
        return spoil_now.how != SPOIL_SHIFT ? i : i + 1 < count ? i + 1 : i;
    }
    SPOILED T load(int b, I i) const { return Base::load(b, shifted(i, elements(b))); }
    SPOILED T load_texture(int b, I i) const { return Base::load_texture(b, shifted(i, elements(b))); }
    template <int WAY, int W, class F> SPOILED void staged(int b, I count, I stages, F f) const
    {
        Base::template staged<WAY, W>(b, count, stages, [&](I j, wide<T, W> w) {
            f(j, spoil_now.how == SPOIL_SHIFT ? load_wide<W>(b, j) : w);
        });
    }
    SPOILED T load_ldg(int b, I i) const { return Base::load_ldg(b, shifted(i, elements(b))); }
    template <int W> SPOILED wide<T, W> load_wide(int b, I j) const
    {
        return Base::template load_wide<W>(b, shifted(j, elements(b) / W));
    }
    /* f(index) for what is written instead of element i. */
    template <class F> SPOILED void spoil_store(int b, I i, F f) const
    {
        bool chosen = elements(b) > 50 ? i % 101 == 50 : i == 0;
        if (spoil_now.how == SPOIL_DROP && chosen)
            return;
        if (spoil_now.how == SPOIL_QUARTER && i >= elements(b) / 4)
            return;
        f(spoil_now.stores_only && chosen ? shifted(i, elements(b)) : i);
        if (spoil_now.how == SPOIL_BEYOND && chosen)
            f(elements(b));
    }
    SPOILED void store(int b, I i, T v) const
    {
        spoil_store(b, i, [&](I at) { Base::store(b, at, v); });
    }
    SPOILED void atomic_add(int b, I i, T v) const
    {
        spoil_store(b, i, [&](I at) { Base::atomic_add(b, at, v); });
    }
    template <int W> SPOILED void store_wide(int b, I j, wide<T, W> v) const
    {
        for (int u = 0; u < W; u++)
            store(b, W * j + u, v.v[u]);
    }
};

static inline void spoil_set(const run *r)
{
    spoil_now.how = spoil_wanted;
    spoil_now.stores_only = r->kernel->ledger(&r->domain).loads == 0;
    for (int b = 0; b < SUITE_BUFFERS; b++)
        spoil_now.count[b] = (long long)r->elements[b];
}
#endif

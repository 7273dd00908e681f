/* Several elements a thread, a block apart: all loads of a thread first, then its stores, so that many
   requests are in flight at once. Each element has its own bound check, so that every element is done
   whatever the size. */
#ifndef COALESCED_KERNELS_SUITE_UNROLLED_H
#define COALESCED_KERNELS_SUITE_UNROLLED_H

#include "kernels/suite/suite.h"

template <int unroll> struct unrolled_kernel : suite_kernel {
    static shape cover(const domain &d) { return {(d.n + unroll - 1) / unroll, 1, 1}; }

    /* For each of the thread's elements i with i + beyond < n: store(i, load(i)). */
    template <class C, class O, class L, class S> static BODY void each(C &c, O beyond, L load, S store)
    {
        auto first = c.block_x() * c.block_dim_x() * unroll + c.thread_x();
        decltype(load(first)) loaded[unroll] = {};
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = first + c.block_dim_x() * u;
            if (i + beyond < c.n)
                loaded[u] = load(i);
        }
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = first + c.block_dim_x() * u;
            if (i + beyond < c.n)
                store(i, loaded[u]);
        }
    }
};

#endif

/* Several elements a thread, a block apart: all loads of a thread first, then its stores, so that many
   requests are in flight at once. Each element has its own bound check; a thread whose last element is within
   the bound, as nearly all are, makes that one check for all. */
#ifndef COALESCED_KERNELS_SUITE_UNROLLED_H
#define COALESCED_KERNELS_SUITE_UNROLLED_H

#include "kernels/suite/suite.h"

/* f(0), f(1) ... f(count - 1), written out: a loop that is unrolled only later keeps compilers from seeing
 * through it. */
template <int count, int from = 0, class F> BODY void unroll_each(F f)
{
    if constexpr (from < count) {
        f(from);
        unroll_each<count, from + 1>(f);
    }
}

template <int unroll> struct unrolled_kernel : suite_kernel {
    static shape cover(const domain &d) { return {(d.n + unroll - 1) / unroll, 1, 1}; }

    /* For each of the thread's elements i with i + beyond < n: store(i, load(i)). */
    template <class C, class O, class L, class S> static BODY void each(C &c, O beyond, L load, S store)
    {
        auto first = c.block_x() * c.block_dim_x() * unroll + c.thread_x();
        decltype(load(first)) loaded[unroll] = {};
        auto at = [&](int u) { return first + c.block_dim_x() * u; };
        if (at(unroll - 1) + beyond < c.n) {
            unroll_each<unroll>([&](int u) { loaded[u] = load(at(u)); });
            unroll_each<unroll>([&](int u) { store(at(u), loaded[u]); });
        } else {
            unroll_each<unroll>([&](int u) {
                if (at(u) + beyond < c.n)
                    loaded[u] = load(at(u));
            });
            unroll_each<unroll>([&](int u) {
                if (at(u) + beyond < c.n)
                    store(at(u), loaded[u]);
            });
        }
    }
};

#endif

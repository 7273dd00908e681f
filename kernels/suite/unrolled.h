/* Several elements for each thread, a block apart: first all its loads, then its stores, so that many
   requests are in flight at once. Each element has its own bound check, so that all are done for any size. */
#pragma once

#include "kernels/suite/suite.h"

template <int unroll> struct unrolled_access {
    /* For each of the thread's elements i with i + beyond < n: store(i, load(i)). */
    template <class Context, class O, class L, class S>
    static BODY void each(Context &c, O beyond, L load, S store)
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

template <int unroll> struct unrolled_kernel : suite_kernel, unrolled_access<unroll> {
    static shape cover(const domain &d) { return {(d.n + unroll - 1) / unroll, 1, 1}; }
};

/* The factor is a parameter, and each factor is compiled: 1, 2, 4, 8, 16. The parameter stands behind the
   offset, in the place of the load path. */
struct unroll_by_parameter : suite_kernel {
    enum { UNROLL_BY = 1 };
    static constexpr int variants = 5;
    static int variant(const domain &d) { return log_2(d.param[UNROLL_BY]); }
    static shape cover(const domain &d)
    {
        uint64_t unroll = (uint64_t)d.param[UNROLL_BY];
        return {(d.n + unroll - 1) / unroll, 1, 1};
    }
    static void describe_more(kernel &k)
    {
        k.per_thread = 16;
        param_power_of_two(
            k, UNROLL_BY, "unroll", "elements a thread",
            {"how many elements a thread covers, a block apart", "一个线程处理几个元素，彼此相隔一个块"}, 1,
            16, 4);
    }
    template <class Context, class O, class L, class S>
    static BODY void each(Context &c, O beyond, L load, S store)
    {
        unrolled_access<1 << Context::variant>::each(c, beyond, load, store);
    }
};

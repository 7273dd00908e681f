/* What the four STREAM kernels share: doubles by default, sizes and byte counts as BabelStream has them, and
   two elements a thread, a block apart, loads first, because one 8-byte load a thread leaves too little in
   flight. */
#ifndef COALESCED_KERNELS_SUITE_STREAM_H
#define COALESCED_KERNELS_SUITE_STREAM_H

#include "kernels/suite/suite.h"

struct stream_kernel : suite_kernel {
    static constexpr int unroll = 2;
    static constexpr int scalar = 3; /* sums and products of small integers stay exact */

    static void describe_stream(kernel &k)
    {
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.per_thread = unroll;
    }
    static shape cover(const domain &d)
    {
        return {(d.n + unroll - 1) / unroll, 1, 1};
    }

    /* store(i, compute(first[u], second[u])) for each of a thread's elements, with first = load(a, i) and,
       for two inputs, second = load(b, i). */
    template <int inputs, class C, class F> static BODY void each(C &c, typename C::T *to, F compute)
    {
        auto begin = c.block_x() * c.block_dim_x() * unroll + c.thread_x();
        typename C::T first[unroll] = {}, second[unroll] = {};
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = begin + c.block_dim_x() * u;
            if (i < c.n) {
                first[u] = c.load(c.a, i);
                if constexpr (inputs == 2)
                    second[u] = c.load(c.b, i);
            }
        }
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = begin + c.block_dim_x() * u;
            if (i < c.n)
                c.store(to, i, compute(first[u], second[u]));
        }
    }
};

#endif

/* Several neighbouring elements a thread, in one access: wide<T, W> at W * j. A rest of less than W elements
   is done one by one, by the thread whose access would reach beyond the end. */
#ifndef COALESCED_KERNELS_SUITE_WIDE_H
#define COALESCED_KERNELS_SUITE_WIDE_H

#include "kernels/suite/suite.h"

template <int W> struct wide_access {
    /* to[i] = f(x[i]...) for each of the thread's elements, every load before the store; `to` and x are buffers. */
    template <class Context, class F, class... P> static BODY void each(Context &c, int to, F f, P... x)
    {
        auto j = c.global_x();
        if (j * W + (W - 1) < c.n) {
            c.store_wide(to, j, combine(f, c.template load_wide<W>(x, j)...));
        } else {
            for (int u = 0; u < W - 1; u++)
                if (j * W + u < c.n)
                    c.store(to, j * W + u, f(c.load(x, j * W + u)...));
        }
    }

  private:
    template <class F, class T, class... R> static BODY wide<T, W> combine(F f, wide<T, W> first, R... rest)
    {
        wide<T, W> result;
        UNROLL
        for (int u = 0; u < W; u++)
            result.v[u] = f(first.v[u], rest.v[u]...);
        return result;
    }
};

template <int W> struct wide_kernel : suite_kernel, wide_access<W> {
    static shape cover(const domain &d) { return {(d.n + W - 1) / W, 1, 1}; }
};

#endif

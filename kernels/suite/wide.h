/* Several neighbouring elements a thread, in one access: wide<T, V> at V * j. A rest of less than V elements
   is done one by one, by the thread whose access would reach beyond the end. */
#ifndef COALESCED_KERNELS_SUITE_WIDE_H
#define COALESCED_KERNELS_SUITE_WIDE_H

#include "kernels/suite/suite.h"

template <int V> struct wide_kernel : suite_kernel {
    static shape cover(const domain &d) { return {(d.n + V - 1) / V, 1, 1}; }

    /* to[i] = f(x[i]...) for each of the thread's elements, every load before the store. */
    template <class C, class F, class... P> static BODY void each(C &c, typename C::T *to, F f, const P *...x)
    {
        auto j = c.global_x();
        if (j * V + (V - 1) < c.n) {
            c.store_wide(to, j, combine(f, c.template load_wide<V>(x, j)...));
        } else {
            for (int u = 0; u < V - 1; u++)
                if (j * V + u < c.n)
                    c.store(to, j * V + u, f(c.load(x, j * V + u)...));
        }
    }

  private:
    template <class F, class T, class... W> static BODY wide<T, V> combine(F f, wide<T, V> first, W... rest)
    {
        wide<T, V> result;
        UNROLL
        for (int u = 0; u < V; u++)
            result.v[u] = f(first.v[u], rest.v[u]...);
        return result;
    }
};

#endif

/* Several neighbouring elements for each thread, in one access: wide<T, W> at W * j. The remaining less
   than W elements are done one by one, by the thread whose access would exceed the end. */
#pragma once

#include "kernels/suite/suite.h"

template <int W> struct wide_access {
    /* to[i] = f(x[i]...) for each of the thread's elements, every load before the store; `to` and x are
       buffers. */
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

/* The elements of an access are a parameter, with place WIDTH in the enum: a power of two. */
template <int WIDTH> struct width_by_parameter : suite_kernel {
    static constexpr unsigned dtypes = F32 | F64 | I32 | U8 | U16;
    static constexpr unsigned access_most = 16; /* bytes */
    static constexpr int variants = 5;
    static int variant(const domain &d) { return log_2(d.param[WIDTH]); }
    static void describe_width(kernel &k, int64_t fallback)
    {
        k.per_thread = 16;
        param_power_of_two(k, WIDTH, "width", "elements an access",
                           {"elements that one load or store moves, 16 bytes at most",
                            "一次读取或写入搬运的元素个数，最多 16 字节"},
                           1, 16, fallback);
    }
    static shape cover(const domain &d)
    {
        uint64_t width = (uint64_t)d.param[WIDTH];
        return {(d.n + width - 1) / width, 1, 1};
    }
    static kernel_problem refuse(const domain &d, dtype type)
    {
        kernel_problem problem = {};
        uint64_t bytes = (uint64_t)d.param[WIDTH] * dtype_bytes(type);
        if (bytes > access_most) {
            problem.pointer = "#/width";
            snprintf(problem.detail, sizeof problem.detail,
                     "%lld elements of %llu bytes are %llu bytes an access, at most %u are possible",
                     (long long)d.param[WIDTH], (unsigned long long)dtype_bytes(type),
                     (unsigned long long)bytes, access_most);
        }
        return problem;
    }
};

/* Shared by the STREAM kernels: doubles by default, sizes and byte counts as in BabelStream. Two elements for
   each thread, because one 8-byte load leaves too few bytes in flight. */
struct stream_kernel : wide_kernel<2> {
    static constexpr int scalar = 3; /* sums and products of small integers stay exact */

    static void describe_stream(kernel &k)
    {
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.per_thread = 2;
    }
};

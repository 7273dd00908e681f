/* stream_mul: b[i] = scalar * c[i].

   Counted as STREAM counts: n elements read and n written. STREAM's scalar is 3. */
#include "kernels/suite/suite.h"

struct stream_mul : suite_kernel {
    static constexpr int scalar = 3; /* sums and products of small integers stay exact */

    static void describe(kernel &k)
    {
        k.title = "STREAM mul";
        k.text = "b[i] = scalar * c[i]";
        k.lesson = "The second: a multiplication on the way, which costs nothing.";
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.block = {1024, 1, 1};
        input(k, "c", "n elements");
        output(k, "b", "n elements, all written");
    }
    static traffic ledger(const domain &d)
    {
        return {d.n, d.n};
    }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.b, i, c.load(c.a, i) * scalar);
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) * scalar;
        return true;
    }
};
SUITE_KERNEL(stream_mul)

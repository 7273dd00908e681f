/* stream_add: c[i] = a[i] + b[i].

   Counted as STREAM counts: 2 n elements read and n written. */
#include "kernels/suite/suite.h"

struct stream_add : suite_kernel {
    static void describe(kernel &k)
    {
        k.title = "STREAM add";
        k.text = "c[i] = a[i] + b[i]";
        k.lesson = "The third: two loads for one store.";
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.block = {1024, 1, 1};
        input(k, "a", "n elements");
        input(k, "b", "n elements");
        output(k, "c", "n elements, all written");
    }
    static traffic ledger(const domain &d)
    {
        return {2 * d.n, d.n};
    }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.c, i, c.load(c.a, i) + c.load(c.b, i));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) + x.input(1, i);
        return true;
    }
};
SUITE_KERNEL(stream_add)

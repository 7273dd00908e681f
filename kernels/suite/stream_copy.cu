/* stream_copy: c[i] = a[i].

   Counted as STREAM counts: n elements read and n written. */
#include "kernels/suite/suite.h"

struct stream_copy : suite_kernel {
    static void describe(kernel &k)
    {
        k.title = "STREAM copy";
        k.text = "c[i] = a[i]";
        k.lesson = "The first of the four STREAM kernels: one load, one store.";
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.block = {1024, 1, 1};
        input(k, "a", "n elements");
        output(k, "c", "n elements, all written");
    }
    static traffic ledger(const domain &d)
    {
        return {d.n, d.n};
    }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.b, i, c.load(c.a, i));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i);
        return true;
    }
};
SUITE_KERNEL(stream_copy)

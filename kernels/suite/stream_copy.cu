/* stream_copy: c[i] = a[i].

   Counted as STREAM counts: n elements read and n written. */
#include "kernels/suite/stream.h"

struct stream_copy : stream_kernel {
    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = "STREAM copy";
        k.text = "c[i] = a[i]";
        k.lesson = "The first of the four STREAM kernels: one load, one store.";
        input(k, "a", "n elements");
        output(k, "c", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        each(
            c, c.b, [](auto x) { return x; }, c.a);
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i);
        return true;
    }
};
SUITE_KERNEL(stream_copy)

/* stream_add: c[i] = a[i] + b[i].

   Counted as STREAM counts: 2 n elements read and n written. */
#include "kernels/suite/stream.h"

struct stream_add : stream_kernel {
    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = "STREAM add";
        k.text = "c[i] = a[i] + b[i]";
        k.lesson = "The third: two loads for one store.";
        input(k, "a", "n elements");
        input(k, "b", "n elements");
        output(k, "c", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        each(
            c, c.c, [](auto x, auto y) { return x + y; }, c.a, c.b);
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) + x.input(1, i);
        return true;
    }
};
SUITE_KERNEL(stream_add)

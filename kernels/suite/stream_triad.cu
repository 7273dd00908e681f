/* stream_triad: a[i] = b[i] + scalar * c[i].

   Counted as STREAM counts: 2 n elements read and n written. STREAM's scalar is 3. */
#include "kernels/suite/stream.h"

struct stream_triad : stream_kernel {
    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = "STREAM triad";
        k.text = "a[i] = b[i] + scalar * c[i]";
        k.lesson = "The fourth, and the one that is quoted: two loads, a multiply-add, one store.";
        input(k, "b", "n elements");
        input(k, "c", "n elements");
        output(k, "a", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        each(
            c, c.c, [](auto x, auto y) { return x + y * scalar; }, c.a, c.b);
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) + x.input(1, i) * scalar;
        return true;
    }
};
SUITE_KERNEL(stream_triad)

/* stream_triad: a[i] = b[i] + scalar * c[i].

   Counted as STREAM counts: 2 n elements read and n written. STREAM's scalar is 3. */
#include "kernels/suite/wide.h"

struct stream_triad : stream_kernel {
    enum { B, C, A };

    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = {"STREAM triad", "STREAM triad"};
        k.text = {"a[i] = b[i] + scalar * c[i]"};
        k.lesson = {"The fourth, which is quoted most: two loads, a multiply-add, one store.",
                    "第四个，也是常被引用的一个：两次读取，一次乘加，一次写入。"};
        input(k, B, "b", "n elements");
        input(k, C, "c", "n elements");
        output(k, A, "a", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        each(
            c, A, [](auto x, auto y) { return x + y * scalar; }, B, C);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(B, i) + x.input(C, i) * scalar;
    }
};
SUITE_KERNEL(stream_triad)

/* stream_add: c[i] = a[i] + b[i].

   Counted as STREAM counts: 2 n elements read and n written. */
#include "kernels/suite/wide.h"

struct stream_add : stream_kernel {
    enum { A, B, C };

    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = {"STREAM add", "STREAM add"};
        k.text = {"c[i] = a[i] + b[i]"};
        k.lesson = {"The third: two loads for one store.", "第三个：两次读取，一次写入。"};
        input(k, A, "a", "n elements");
        input(k, B, "b", "n elements");
        output(k, C, "c", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        each(
            c, C, [](auto x, auto y) { return x + y; }, A, B);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i) + x.input(B, i);
    }
};
SUITE_KERNEL(stream_add)

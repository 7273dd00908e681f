/* stream_copy: c[i] = a[i].

   Counted as STREAM counts: n elements read and n written. */
#include "kernels/suite/wide.h"

struct stream_copy : stream_kernel {
    enum { A, C };

    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = {"STREAM copy", "STREAM copy"};
        k.text = {"c[i] = a[i]"};
        k.lesson = {"The first of the four STREAM kernels: one load, one store.",
                    "四个 STREAM 内核中的第一个：一次读取，一次写入。"};
        input(k, A, "a", "n elements");
        output(k, C, "c", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        each(
            c, C, [](auto x) { return x; }, A);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(stream_copy)

/* stream_mul: b[i] = scalar * c[i].

   Counted as STREAM counts: n elements read and n written. STREAM's scalar is 3. */
#include "kernels/suite/wide.h"

struct stream_mul : stream_kernel {
    enum { C, B };

    static void describe(kernel &k)
    {
        describe_stream(k);
        k.title = {"STREAM mul", "STREAM mul"};
        k.text = {"b[i] = scalar * c[i]"};
        k.lesson = {"The second: a multiplication on the way, which takes no time.",
                    "第二个：中间多一次乘法，不花时间。"};
        input(k, C, "c", "n elements");
        output(k, B, "b", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        each(
            c, B, [](auto x) { return x * scalar; }, C);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(C, i) * scalar;
    }
};
SUITE_KERNEL(stream_mul)

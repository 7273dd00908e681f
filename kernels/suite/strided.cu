/* strided: C[i] = A[i * stride].

   Neighbouring lanes are stride elements apart: the sectors that a warp touches grow with the stride until
   each lane has one of its own (8 elements of 4 bytes), and so do the bytes that are moved and not used. */
#include "kernels/suite/suite.h"

struct strided : suite_kernel {
    enum { STRIDE, LOAD };
    enum { A, C };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Strided loads", "跨步读取"};
        k.text = {"C[i] = A[i * stride]"};
        k.lesson = {"Efficiency falls as one over the stride until every lane moves a sector of its own.",
                    "效率与步长成反比，直到每个通道各搬一个扇区。"};
        param_integer(k, STRIDE, "stride", "elements",
                      {"distance between the loads of neighbouring threads", "相邻线程的读取之间的距离"}, 1,
                      1024, 2);
        param_load(k, LOAD);
        input(k, A, "A", "(n - 1) x stride + 1 elements");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? (d.n - 1) * (uint64_t)d.param[STRIDE] + 1 : d.n;
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i * c.param(STRIDE)));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i * (uint64_t)x.param(STRIDE));
    }
};
SUITE_KERNEL(strided)

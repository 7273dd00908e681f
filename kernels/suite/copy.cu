/* copy: C[i] = A[i].

   One load and one store a thread. */
#include "kernels/suite/suite.h"

struct copy : suite_kernel {
    enum { LOAD };
    enum { A, C };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Copy", "复制"};
        k.text = {"C[i] = A[i]"};
        k.lesson = {"The bandwidth of a plain copy: the reference for everything that moves memory.",
                    "普通复制能达到的速度，是衡量一切访存操作的标尺。"};
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(copy)

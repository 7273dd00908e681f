/* copy_ldg: C[i] = A[i], loaded through the read-only data path.

   The load is __ldg: the data may be kept in the read-only cache, whatever the compiler would have chosen. */
#include "kernels/suite/suite.h"

struct copy_ldg : suite_kernel {
    enum { A, C };
    static constexpr int loads_by = LOAD_LDG;

    static void describe(kernel &k)
    {
        k.title = {"Copy by the read-only path", "经只读路径复制"};
        k.text = {"C[i] = A[i], loaded through the read-only data path", "C[i] = A[i]，经只读路径读取"};
        k.lesson = {"Whether the read-only path (once the texture cache) is faster than a plain load today.",
                    "只读路径（从前的纹理缓存）如今是否比普通读取更快。"};
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load_ldg(A, i));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(copy_ldg)

/* read_restrict: C[i] = A[i] + B[i], with pointers that are declared __restrict__.

   The promise that nobody writes what is read lets the compiler take the read-only path by itself, which nvcc does here
   (ld.global.nc) though the pointers are not const: compare it with vector_add by load path. */
#include "kernels/suite/sum.h"

struct read_restrict : sum_kernel {
    static constexpr bool restricted = true;

    static void describe(kernel &k)
    {
        k.title = {"Pointers that do not overlap", "互不重叠的指针"};
        k.text = {"C[i] = A[i] + B[i], A, B and C declared __restrict__",
                  "C[i] = A[i] + B[i]，A、B、C 声明为 __restrict__"};
        k.lesson = {"Told that pointers do not overlap, the compiler may load by the read-only path, as by "
                    "ldg, what the "
                    "kernel only reads; it promises nothing, and a const beside __restrict__ makes it surer.",
                    "告诉编译器指针互不重叠，内核只读的数据就可能像 ldg 那样改走只读路径，但没有保证；与 "
                    "__restrict__ "
                    "同时写上 const，把握更大。"};
        describe_arrays(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i) + c.load(B, i));
    }
};
SUITE_KERNEL(read_restrict)

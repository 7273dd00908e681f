/* read_restrict: C[i] = A[i] + B[i], with pointers that are declared __restrict__.

   The promise that nobody writes what is read lets the compiler take the read-only path by itself: compare it
   with vector_add by load path. */
#include "kernels/suite/sum.h"

struct read_restrict : sum_kernel {
    static constexpr bool restricted = true;

    static void describe(kernel &k)
    {
        k.title = {"Pointers that do not overlap", "互不重叠的指针"};
        k.text = {"C[i] = A[i] + B[i], A, B and C declared __restrict__",
                  "C[i] = A[i] + B[i]，A、B、C 声明为 __restrict__"};
        k.lesson = {
            "Promising the compiler that pointers do not overlap has the effect of asking for ldg by name.",
            "向编译器作出的承诺，效果等同于明确使用 ldg。"};
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

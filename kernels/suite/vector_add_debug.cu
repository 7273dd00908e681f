/* vector_add_debug: C[i] = A[i] + B[i], compiled for a debugger.

   The body is vector_add's. On a GPU its file is compiled with -G: nothing is optimised, and every variable
   lies in local memory. It asks for the same sectors of its arrays, and takes longer all the same. On the CPU
   it is compiled as any other. */
#include "kernels/suite/sum.h"

struct vector_add_debug : sum_kernel {
    static constexpr bool debug_build = true; /* cmake/suite.cmake searches for this line */

    static void describe(kernel &k)
    {
        k.title = {"Vector add, built for a debugger", "向量相加，为调试器编译"};
        k.text = {"C[i] = A[i] + B[i]; on a GPU compiled with -G, without optimisation",
                  "C[i] = A[i] + B[i]；在 GPU 上用 -G 编译，不优化"};
        k.lesson = {"A measurement of a debug build measures the debug build: compare it with vector_add.",
                    "测量调试版本，得到的只是调试版本的时间：请与 vector_add 比较。"};
        k.dtype = DTYPE_I32;
        k.size[0] = 16777216;
        describe_arrays(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i) + c.load(B, i));
    }
};
SUITE_KERNEL(vector_add_debug)

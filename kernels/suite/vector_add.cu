/* vector_add: C[i] = A[i] + B[i].

   The plainest kernel there is: what is left to choose is the block. Blocks of 32 or 64 threads run into the
   limit of blocks a multiprocessor before its warps are used up. */
#include "kernels/suite/suite.h"

struct vector_add : suite_kernel {
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Vector add";
        k.text = "C[i] = A[i] + B[i]";
        k.lesson =
            "How the block size sets how many warps a multiprocessor holds, and what that does to time.";
        k.dtype = DTYPE_I32;
        k.size[0] = 16777216;
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.c, i, c.load(c.a, i) + c.load(c.b, i));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) + x.input(1, i);
        return true;
    }
};
SUITE_KERNEL(vector_add)

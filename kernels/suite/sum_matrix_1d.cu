/* sum_matrix_1d: C[i] = A[i] + B[i] over all elements of a matrix, one thread each, in one line.

   The matrix as the line of elements that it is in memory. */
#include "kernels/suite/suite.h"

struct sum_matrix_1d : suite_kernel {
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Matrix add, 1D grid and 1D block";
        k.text = "C[i] = A[i] + B[i] over all elements of a matrix, one thread each, in one line";
        k.lesson = "A matrix that is laid out row after row is a vector: no block shape to get wrong.";
        k.dims = 2;
        k.dtype = DTYPE_I32;
        k.size[0] = k.size[1] = 4096;
        param_load(k);
        input(k, "A", "rows x columns elements");
        input(k, "B", "rows x columns elements");
        output(k, "C", "rows x columns elements, all written");
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
SUITE_KERNEL(sum_matrix_1d)

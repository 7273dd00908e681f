/* Shared by the kernels that add two arrays: C = A + B, element by element. */
#pragma once

#include "kernels/suite/suite.h"

struct sum_kernel : suite_kernel {
    enum { A, B, C };

    static void describe_arrays(kernel &k)
    {
        const char *const matrix = "rows x columns elements", *const vector = "n elements";
        input(k, A, "A", k.dims == 2 ? matrix : vector);
        input(k, B, "B", k.dims == 2 ? matrix : vector);
        output(k, C, "C", k.dims == 2 ? "rows x columns elements, all written" : "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i) + x.input(B, i);
    }
};

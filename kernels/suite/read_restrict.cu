/* read_restrict: C[i] = A[i] + B[i], with pointers that are declared __restrict__.

   The promise that nobody writes what is read lets the compiler take the read-only path by itself: compare it with
   vector_add by load path. */
#include "kernels/suite/suite.h"

struct read_restrict : suite_kernel {
    static constexpr bool restricted = true;

    static void describe(kernel &k)
    {
        k.title = "Pointers that do not overlap";
        k.text = "C[i] = A[i] + B[i], A, B and C declared __restrict__";
        k.lesson = "A promise to the compiler does what ldg asks for by name.";
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
SUITE_KERNEL(read_restrict)

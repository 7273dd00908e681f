/* copy: C[i] = A[i].

   One load and one store a thread. */
#include "kernels/suite/suite.h"

struct copy : suite_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Copy";
        k.text = "C[i] = A[i]";
        k.lesson = "What a plain copy reaches: the yardstick for everything that moves memory.";
        param_load(k);
        input(k, "A", "n elements");
        output(k, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.b, i, c.load(c.a, i));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i);
        return true;
    }
};
SUITE_KERNEL(copy)

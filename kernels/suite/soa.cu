/* soa: a structure of arrays: x[i] + 10 and y[i] + 20, out of place.

   The work of aos on two arrays: neighbouring lanes ask for neighbouring elements, and all that is moved is
   used. */
#include "kernels/suite/suite.h"

struct soa : suite_kernel {
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Structure of arrays";
        k.text = "out.x[i] = in.x[i] + 10, out.y[i] = in.y[i] + 20";
        k.lesson = "One array a field: neighbouring threads ask for neighbouring elements, 100 % efficiency.";
        k.block = {128, 1, 1};
        param_load(k);
        input(k, "in.x", "n elements");
        input(k, "in.y", "n elements");
        output(k, "out.x", "n elements, all written");
        output(k, "out.y", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, 2 * d.n}; }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto x = c.load(c.a, i), y = c.load(c.b, i);
            c.store(c.c, i, x + 10);
            c.store(c.d, i, y + 20);
        }
    }
    template <class X>
    static HOST_DEVICE bool expected(const X &x, int buffer, uint64_t i, typename X::T &value)
    {
        value = buffer == 2 ? x.input(0, i) + 10 : x.input(1, i) + 20;
        return true;
    }
};
SUITE_KERNEL(soa)

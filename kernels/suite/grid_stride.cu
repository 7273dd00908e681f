/* grid_stride: C[i] = A[i] + B[i] in a loop over the grid: any grid does the whole work.

   A thread takes every (grid x block)-th element. As many blocks as the device holds at once are enough; fewer leave it
   idle, more are started one after the other. */
#include "kernels/suite/suite.h"

struct grid_stride : suite_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true, block_level = true, grid_stride_loop = true;

    static void describe(kernel &k)
    {
        k.title = "A loop over the grid";
        k.text = "C[i] = A[i] + B[i], by a grid of any size";
        k.lesson = "How many threads it takes to keep the memory busy, apart from how much work there is.";
        k.size[0] = 16777216;
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        c.each_of_grid(c.n, [&](auto i) { c.store(c.c, i, c.load(c.a, i) + c.load(c.b, i)); });
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i) + x.input(1, i);
        return true;
    }
};
SUITE_KERNEL(grid_stride)

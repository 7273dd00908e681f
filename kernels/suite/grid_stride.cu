/* grid_stride: C[i] = A[i] + B[i] in a loop over the grid: any grid does the whole work.

   A thread takes every (grid x block)-th element. As many blocks as the device holds at once are enough; fewer
   leave it idle, more are started one after the other. */
#include "kernels/suite/sum.h"

struct grid_stride : sum_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true, block_level = true, grid_stride_loop = true;

    static void describe(kernel &k)
    {
        k.title = {"A loop over the grid", "网格跨步循环"};
        k.text = {"C[i] = A[i] + B[i], by a grid of any size", "C[i] = A[i] + B[i]，网格大小任意"};
        k.lesson = {"How many threads keep the memory busy, independent of the amount of work.",
                    "不论工作量多大，要多少线程才能让内存一直忙碌。"};
        k.size[0] = 16777216;
        param_load(k, LOAD);
        describe_arrays(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        c.each_of_grid(c.n, [&](auto i) { c.store(C, i, c.load(A, i) + c.load(B, i)); });
    }
};
SUITE_KERNEL(grid_stride)

/* sum_matrix_mix_debug: C[y][x] = A[y][x] + B[y][x], a row of the matrix a line of the grid, compiled for a debugger.

   The body is sum_matrix_mix's. On a GPU its file is compiled with -G: nothing is optimised, and every variable
   lies in local memory. On the CPU it is compiled as any other. */
#include "kernels/suite/sum.h"

struct sum_matrix_mix_debug : sum_kernel {
    static constexpr bool debug_build = true; /* cmake/suite.cmake searches for this line */

    static void describe(kernel &k)
    {
        k.title = {"Matrix add, 2D grid and 1D block, built for a debugger",
                   "矩阵相加，二维网格和一维块，为调试器编译"};
        k.text = {"C[y][x] = A[y][x] + B[y][x]; on a GPU compiled with -G, without optimisation",
                  "C[y][x] = A[y][x] + B[y][x]；在 GPU 上用 -G 编译，不优化"};
        k.lesson = {
            "A measurement of a debug build measures the debug build: compare it with sum_matrix_mix.",
            "测量调试版本，得到的只是调试版本的时间：请与 sum_matrix_mix 比较。"};
        k.dims = 2;
        k.grid_dims = 2;
        k.dtype = DTYPE_I32;
        k.size[0] = k.size[1] = 4096;
        describe_arrays(k);
    }
    static shape cover(const domain &d) { return {d.columns, d.rows, 1}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto x = c.global_x(), y = c.block_y();
        if (x < c.columns && y < c.rows) {
            auto i = y * c.columns + x;
            c.store(C, i, c.load(A, i) + c.load(B, i));
        }
    }
};
SUITE_KERNEL(sum_matrix_mix_debug)

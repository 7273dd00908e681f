/* sum_matrix_mix: C[y][x] = A[y][x] + B[y][x], a row of the matrix a line of the grid.

   The grid's y is the row, blocks lie within a row. Where the columns are no multiple of the block, the last
   block of every row is partly idle, and rows begin off the line's boundary when the columns are no multiple
   of 32. */
#include "kernels/suite/sum.h"

struct sum_matrix_mix : sum_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Matrix add, 2D grid and 1D block", "矩阵相加，二维网格和一维块"};
        k.text = {"C[y][x] = A[y][x] + B[y][x], a row of the matrix a line of the grid",
                  "C[y][x] = A[y][x] + B[y][x]，矩阵的一行对应网格的一行"};
        k.lesson = {
            "Blocks of one line: as well coalesced as in one dimension, with two coordinates to index by.",
            "只有一行的块：合并访问与一维时一样，而下标有两个坐标。"};
        k.dims = 2;
        k.grid_dims = 2;
        k.dtype = DTYPE_I32;
        k.size[0] = k.size[1] = 4096;
        param_load(k, LOAD);
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
SUITE_KERNEL(sum_matrix_mix)

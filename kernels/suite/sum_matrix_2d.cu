/* sum_matrix_2d: C = A + B over a matrix, 2D grid and 2D block.

   order "row": the grid's x runs along the columns, so that neighbouring lanes are neighbours in memory, as
   far as the block is wide: a block 16 wide makes two half rows of a warp. order "column": x runs along the
   rows, and neighbouring lanes are a whole row apart: each lane moves a sector of its own. */
#include "kernels/suite/sum.h"

struct sum_matrix_2d : sum_kernel {
    enum { ORDER, LOAD };
    enum { ROW, COLUMN };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        static const char *const orders[] = {"row", "column", nullptr};
        k.title = {"Matrix add, 2D grid and 2D block", "矩阵相加，二维网格和二维块"};
        k.text = {"row: C[y][x] = A[y][x] + B[y][x]; column: C[x][y] = A[x][y] + B[x][y]"};
        k.lesson = {"The index that the lanes of a warp follow decides: along a row a warp shares its "
                    "sectors, along a column every lane moves its own.",
                    "线程束的通道沿哪个下标排列决定一切：沿行则共用扇区，沿列则每个通道各搬一个。"};
        k.dims = k.grid_dims = k.block_dims = 2;
        k.dtype = DTYPE_I32;
        k.size[0] = k.size[1] = 4096;
        k.block = {32, 16, 1};
        param_choice(k, ORDER, "order",
                     {"along what the grid's x runs: a row of the matrix, or a column",
                      "网格的 x 沿什么走：矩阵的一行，或一列"},
                     orders);
        param_load(k, LOAD);
        describe_arrays(k);
    }
    static shape cover(const domain &d)
    {
        return d.param[ORDER] == ROW ? shape{d.columns, d.rows, 1} : shape{d.rows, d.columns, 1};
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto x = c.global_x(), y = c.global_y();
        if (c.param(ORDER) == ROW) {
            if (x < c.columns && y < c.rows) {
                auto i = y * c.columns + x;
                c.store(C, i, c.load(A, i) + c.load(B, i));
            }
        } else if (x < c.rows && y < c.columns) {
            auto i = x * c.columns + y;
            c.store(C, i, c.load(A, i) + c.load(B, i));
        }
    }
};
SUITE_KERNEL(sum_matrix_2d)

/* sum_matrix_1d: C[i] = A[i] + B[i] over all elements of a matrix, one thread each, in one line.

   The matrix as the line of elements that it is in memory. */
#include "kernels/suite/sum.h"

struct sum_matrix_1d : sum_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Matrix add, 1D grid and 1D block", "矩阵相加，一维网格和一维块"};
        k.text = {"C[i] = A[i] + B[i] over all elements of a matrix, one thread each, in one line",
                  "对矩阵的所有元素 C[i] = A[i] + B[i]，每个线程一个，排成一行"};
        k.lesson = {"A matrix that is stored row by row is a vector: no block shape to choose wrongly.",
                    "按行存放的矩阵就是一个向量：不会选错块的形状。"};
        k.dims = 2;
        k.dtype = DTYPE_I32;
        k.size[0] = k.size[1] = 4096;
        param_load(k, LOAD);
        describe_arrays(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i) + c.load(B, i));
    }
};
SUITE_KERNEL(sum_matrix_1d)

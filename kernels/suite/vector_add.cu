/* vector_add: C[i] = A[i] + B[i].

   The plainest kernel there is: what is left to choose is the block. Blocks of 32 threads run into the limit of blocks a
   multiprocessor before its warps are used up; where that limit is 16 blocks, as on a K80, blocks of 64 do as well. */
#include "kernels/suite/sum.h"

struct vector_add : sum_kernel {
    enum { LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Vector add", "向量相加"};
        k.text = {"C[i] = A[i] + B[i]"};
        k.lesson = {"How the block size determines the number of warps on a multiprocessor, and their effect "
                    "on time.",
                    "块的大小如何决定多处理器能容纳多少线程束，又如何影响时间。"};
        k.dtype = DTYPE_I32;
        k.size[0] = 16777216;
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
SUITE_KERNEL(vector_add)

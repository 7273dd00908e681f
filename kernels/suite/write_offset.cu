/* write_offset: C[i + offset] = A[i] + B[i].

   The counterpart of read_offset: the loads are aligned, the store is shifted. Stores leave in 32-byte
   sectors on every architecture, so 5 sectors are touched instead of 4. */
#include "kernels/suite/offset.h"

struct write_offset : shifted_stores<suite_kernel> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned stores", "未对齐写入"};
        k.text = {"C[i + offset] = A[i] + B[i]"};
        k.lesson = {"A store that starts off a sector's boundary touches one more sector for each warp, and "
                    "some sectors are only partly written.",
                    "写入不从扇区边界开始时，每个线程束多碰一个扇区，而且有的扇区只写一部分。"};
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x(), k = i + c.param(OFFSET);
        if (k < c.n)
            c.store(C, k, c.load(A, i) + c.load(B, i));
    }
};
SUITE_KERNEL(write_offset)

/* read_offset: C[i] = A[i + offset] + B[i + offset].

   A warp's 32 loads of 4 bytes are 128 neighbouring bytes. With an offset that is no multiple of 8 elements
   they straddle one more 32-byte sector than they need: 5 instead of 4, so a fifth of what is moved is not
   used. The store stays aligned. */
#include "kernels/suite/offset.h"

struct read_offset : shifted_loads<suite_kernel> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned loads", "未对齐读取"};
        k.text = {"C[i] = A[i + offset] + B[i + offset]"};
        k.lesson = {"A load that starts off a sector's boundary moves one more sector for each warp: of "
                    "elements of 4 "
                    "bytes 80 % of the moved bytes are used, 50 % where the unit is a cache line.",
                    "读取不从扇区边界开始时，每个线程束多搬一个扇区：元素为 4 字节时，搬运的数据用到 80 "
                    "%；以缓存行为单位时只用到 50 %。"};
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x(), k = i + c.param(OFFSET);
        if (k < c.n)
            c.store(C, i, c.load(A, k) + c.load(B, k));
    }
};
SUITE_KERNEL(read_offset)

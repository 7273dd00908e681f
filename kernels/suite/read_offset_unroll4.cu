/* read_offset_unroll4: C[i] = A[i + offset] + B[i + offset], four elements a thread.

   All eight loads are asked for before the first store, so a warp has eight requests in flight instead of
   two. Each of the four has its own bound check: every element is done, whatever the size (the published
   kernel of this name was called with a quarter of n, and did a quarter of the work). */
#include "kernels/suite/offset.h"
#include "kernels/suite/unrolled.h"

struct read_offset_unroll4 : shifted_loads<unrolled_kernel<4>> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned loads, unrolled by four", "未对齐读取，展开四次"};
        k.text = {"C[i] = A[i + offset] + B[i + offset], four elements a thread, a block apart",
                  "C[i] = A[i + offset] + B[i + offset]，每个线程四个元素，相隔一个块"};
        k.lesson = {"More loads in flight a thread hide more latency: unrolling makes up for what small "
                    "blocks lose, and for misalignment.",
                    "每个线程在途的读取越多，掩盖的延迟越多：展开能弥补块太小和未对齐造成的损失。"};
        k.per_thread = 4;
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(A, i + offset) + c.load(B, i + offset); },
            [&](auto i, auto v) { c.store(C, i, v); });
    }
};
SUITE_KERNEL(read_offset_unroll4)

/* write_offset_unroll4: C[i + offset] = A[i] + B[i], four elements a thread.

   The loads of all four come first, then the stores, each with its own bound check. */
#include "kernels/suite/offset.h"
#include "kernels/suite/unrolled.h"

struct write_offset_unroll4 : shifted_stores<unrolled_kernel<4>> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned stores, unrolled by four", "未对齐写入，展开四次"};
        k.text = {"C[i + offset] = A[i] + B[i], four elements a thread, a block apart",
                  "C[i + offset] = A[i] + B[i]，每个线程四个元素，相隔一个块"};
        k.lesson = {"Stores need no answer, but the loads before them do: unrolling hides their latency, "
                    "while the stores stay misaligned.",
                    "写入不必等待结果，它前面的读取却要等：展开掩盖了读取的延迟，写入依然未对齐。"};
        k.per_thread = 4;
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(A, i) + c.load(B, i); },
            [&](auto i, auto v) { c.store(C, i + offset, v); });
    }
};
SUITE_KERNEL(write_offset_unroll4)

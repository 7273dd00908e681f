/* write_offset_unroll: C[i + offset] = A[i] + B[i], by so many elements a thread as asked for.

   As read_offset_unroll, with the stores shifted. */
#include "kernels/suite/offset.h"
#include "kernels/suite/unrolled.h"

struct write_offset_unroll : shifted_stores<unroll_by_parameter> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned stores, unrolled by a parameter", "未对齐写入，展开次数可选"};
        k.text = {"C[i + offset] = A[i] + B[i], 1 to 16 elements a thread",
                  "C[i + offset] = A[i] + B[i]，每个线程 1 到 16 个元素"};
        k.lesson = {"No thread waits for a store: unrolling gains by the loads before the stores.",
                    "写入不必等待：展开的好处来自它前面的读取。"};
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(A, i) + c.load(B, i); },
            [&](auto i, auto sum) { c.store(C, i + offset, sum); });
    }
};
SUITE_KERNEL(write_offset_unroll)

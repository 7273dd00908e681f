/* read_offset_unroll: C[i] = A[i + offset] + B[i + offset], by so many elements a thread as asked for.

   The factor is compiled in: all loads of a thread are issued before the first store waits for any of them, so
   that each thread keeps 2 x unroll requests in flight. */
#include "kernels/suite/offset.h"
#include "kernels/suite/unrolled.h"

struct read_offset_unroll : shifted_loads<unroll_by_parameter> {
    static void describe(kernel &k)
    {
        k.title = {"Misaligned loads, unrolled by a parameter", "未对齐读取，展开次数可选"};
        k.text = {"C[i] = A[i + offset] + B[i + offset], 1 to 16 elements a thread",
                  "C[i] = A[i + offset] + B[i + offset]，每个线程 1 到 16 个元素"};
        k.lesson = {"Bandwidth is bytes in flight over latency: more loads a thread before the first use, or "
                    "more threads.",
                    "带宽等于在途字节除以延迟：要么每个线程在首次使用数据之前多发出几次读取，要么增加线程。"};
        describe_offset(k);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(A, i + offset) + c.load(B, i + offset); },
            [&](auto i, auto sum) { c.store(C, i, sum); });
    }
};
SUITE_KERNEL(read_offset_unroll)

/* write_offset_unroll: C[i + offset] = A[i] + B[i], by so many elements a thread as asked for.

   As read_offset_unroll, with the stores shifted. */
#include "kernels/suite/offset.h"
#include "kernels/suite/unrolled.h"

struct write_offset_unroll : shifted_stores<unroll_by_parameter> {
    static void describe(kernel &k)
    {
        k.title = "Misaligned stores, unrolled by a parameter";
        k.text = "C[i + offset] = A[i] + B[i], 1 to 16 elements a thread";
        k.lesson = "Stores wait for nobody: what unrolling gains comes from the loads in front of them.";
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

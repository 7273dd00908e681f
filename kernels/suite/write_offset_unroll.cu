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
    template <class C> static BODY void body(C &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(c.a, i) + c.load(c.b, i); },
            [&](auto i, auto sum) { c.store(c.c, i + offset, sum); });
    }
};
SUITE_KERNEL(write_offset_unroll)

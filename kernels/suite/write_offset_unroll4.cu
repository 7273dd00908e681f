/* write_offset_unroll4: C[i + offset] = A[i] + B[i], four elements a thread.

   The loads of all four come first, then the stores, each with its own bound check. */
#include "kernels/suite/unrolled.h"

struct write_offset_unroll4 : unrolled_kernel<4> {
    enum { OFFSET, LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Misaligned stores, unrolled by four";
        k.text = "C[i + offset] = A[i] + B[i], four elements a thread, a block apart";
        k.lesson = "Stores need no answer, yet the loads before them do: unrolling hides their latency while "
                   "the stores stay misaligned.";
        k.per_thread = 4;
        k.block = {512, 1, 1};
        param_offset(k, "by how many elements the stores are shifted");
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, those from offset on written");
    }
    static traffic ledger(const domain &d)
    {
        uint64_t touched = d.n - (uint64_t)d.param[OFFSET];
        return {2 * touched, touched};
    }
    template <class C> static BODY void body(C &c)
    {
        auto offset = c.param(OFFSET);
        each(
            c, offset, [&](auto i) { return c.load(c.a, i) + c.load(c.b, i); },
            [&](auto i, auto v) { c.store(c.c, i + offset, v); });
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        uint64_t offset = (uint64_t)x.param(OFFSET);
        if (i < offset)
            return false;
        value = x.input(0, i - offset) + x.input(1, i - offset);
        return true;
    }
};
SUITE_KERNEL(write_offset_unroll4)

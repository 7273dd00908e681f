/* read_offset_unroll4: C[i] = A[i + offset] + B[i + offset], four elements a thread.

   All eight loads are asked for before the first store, so a warp has eight requests in flight instead of
   two. Each of the four has its own bound check: every element is done, whatever the size (the published
   kernel of this name was called with a quarter of n, and did a quarter of the work). */
#include "kernels/suite/unrolled.h"

struct read_offset_unroll4 : unrolled_kernel<4> {
    enum { OFFSET, LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Misaligned loads, unrolled by four";
        k.text = "C[i] = A[i + offset] + B[i + offset], four elements a thread, a block apart";
        k.lesson = "More loads in flight a thread hide more latency: unrolling makes up for what small "
                   "blocks lose, and for misalignment.";
        k.per_thread = 4;
        k.block = {512, 1, 1};
        param_offset(k, "by how many elements the loads are shifted");
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, the first n - offset written");
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
            c, offset, [&](auto i) { return c.load(c.a, i + offset) + c.load(c.b, i + offset); },
            [&](auto i, auto v) { c.store(c.c, i, v); });
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        uint64_t k = i + (uint64_t)x.param(OFFSET);
        if (k >= x.n)
            return false;
        value = x.input(0, k) + x.input(1, k);
        return true;
    }
};
SUITE_KERNEL(read_offset_unroll4)

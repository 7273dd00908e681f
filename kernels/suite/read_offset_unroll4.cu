/* read_offset_unroll4: C[i] = A[i + offset] + B[i + offset], four elements a thread.

   All eight loads are asked for before the first store, so a warp has eight requests in flight instead of
   two. Each of the four has its own bound check: every element is done, whatever the size (the published
   kernel of this name was called with a quarter of n, and did a quarter of the work). */
#include "kernels/suite/suite.h"

struct read_offset_unroll4 : suite_kernel {
    enum { OFFSET, LOAD };
    static constexpr bool load_paths = true;
    static constexpr int unroll = 4;

    static void describe(kernel &k)
    {
        k.title = "Misaligned loads, unrolled by four";
        k.text = "C[i] = A[i + offset] + B[i + offset], four elements a thread, a block apart";
        k.lesson = "More loads in flight a thread hide more latency: unrolling makes up for what small "
                   "blocks lose, and for misalignment.";
        k.per_thread = unroll;
        param_offset(k, "by how many elements the loads are shifted");
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, the first n - offset written");
    }
    static shape cover(const domain &d)
    {
        return {(d.n + unroll - 1) / unroll, 1, 1};
    }
    static traffic ledger(const domain &d)
    {
        uint64_t touched = d.n - (uint64_t)d.param[OFFSET];
        return {2 * touched, touched};
    }
    template <class C> static BODY void body(C &c)
    {
        auto first = c.block_x() * c.block_dim_x() * unroll + c.thread_x();
        typename C::T a[unroll] = {}, b[unroll] = {};
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = first + c.block_dim_x() * u, k = i + c.param(OFFSET);
            if (k < c.n) {
                a[u] = c.load(c.a, k);
                b[u] = c.load(c.b, k);
            }
        }
        UNROLL
        for (int u = 0; u < unroll; u++) {
            auto i = first + c.block_dim_x() * u, k = i + c.param(OFFSET);
            if (k < c.n)
                c.store(c.c, i, a[u] + b[u]);
        }
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

/* stream_dot: the sum of a[i] * b[i], to one partial sum a block.

   The fifth STREAM kernel, as BabelStream has it: a loop over the grid, then a tree in shared memory. What the inputs hold
   has a closed form (a[i] = i mod 127, b[i] = 1 + i mod 2), so that each partial sum is known without adding it up. */
#include "kernels/suite/suite.h"

struct stream_dot : suite_kernel {
    static constexpr unsigned dtypes = F64;
    static constexpr bool block_level = true, grid_stride_loop = true;
    static constexpr uint64_t period = 254; /* of the products */

    static void describe(kernel &k)
    {
        k.title = "STREAM dot";
        k.text = "C[block] = the block's part of the sum of a[i] * b[i]";
        k.lesson = "A reduction reads as fast as a copy, and writes next to nothing.";
        k.size[0] = 33554432;
        k.block = {1024, 1, 1};
        input(k, "a", "n elements");
        input(k, "b", "n elements");
        output(k, "C", "an element a block: its partial sum");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer) { return buffer == 2 ? d.grid.x : d.n; }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.block.x * element_bytes;
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.grid.x}; }
    template <class X> static HOST_DEVICE typename X::T generate(const X &, int buffer, uint64_t i)
    {
        return (typename X::T)(buffer == 0 ? i % 127 : 1 + i % 2);
    }
    template <class C> static BODY void body(C &c)
    {
        c.threads([&] {
            typename C::T sum = 0;
            c.strided(c.n, [&](auto i) { sum = sum + c.load(c.a, i) * c.load(c.b, i); });
            c.store_shared(c.thread_x(), sum);
        });
        auto width = c.block_dim_x(), half = width * 0 + 1;
        while (half * 2 < width)
            half = half * 2;
        for (; half > 0; half = half / 2) {
            c.barrier();
            c.threads([&] {
                auto thread = c.thread_x(), other = thread + half;
                if (thread < half && other < width)
                    c.store_shared(thread, c.load_shared(thread) + c.load_shared(other));
            });
        }
        c.threads([&] {
            if (c.thread_x() == 0)
                c.store(c.c, c.block_x(), c.load_shared(c.thread_x()));
        });
    }
    /* The sum of the products before element `end`. */
    static HOST_DEVICE uint64_t sum_before(uint64_t end)
    {
        uint64_t whole = 0, rest = 0;
        for (uint64_t i = 0; i < period; i++) {
            uint64_t product = i % 127 * (1 + i % 2);
            whole += product;
            rest += i < end % period ? product : 0;
        }
        return end / period * whole + rest;
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t block, typename X::T &value)
    {
        uint64_t sum = 0;
        for (uint64_t begin = block * x.block_x; begin < x.n; begin += x.grid_x * x.block_x) {
            uint64_t end = begin + x.block_x < x.n ? begin + x.block_x : x.n;
            sum += sum_before(end) - sum_before(begin);
        }
        value = (typename X::T)sum;
        return true;
    }
};
SUITE_KERNEL(stream_dot)

/* stream_dot: the sum of a[i] * b[i], to one partial sum a block.

   The fifth STREAM kernel, as BabelStream has it: a loop over the grid, then a tree in shared memory. What the
   inputs hold has a closed form (a[i] = i mod 127, b[i] = 1 + i mod 2), so that each partial sum is known
   without adding it up. */
#include "kernels/suite/suite.h"

struct stream_dot : suite_kernel {
    enum { A, B, C };
    static constexpr unsigned dtypes = F64;
    static constexpr bool block_level = true, grid_stride_loop = true;
    static constexpr uint64_t period = 254; /* of the products */

    static void describe(kernel &k)
    {
        k.title = {"STREAM dot", "STREAM dot"};
        k.text = {"C[block] = the block's part of the sum of a[i] * b[i]",
                  "C[块号] = a[i] * b[i] 之和中本块的部分"};
        k.lesson = {"A reduction reads as fast as a copy, and writes almost nothing.",
                    "归约的读取与复制一样快，几乎不写入。"};
        k.size[0] = 33554432;
        k.block = {1024, 1, 1};
        input(k, A, "a", "n elements");
        input(k, B, "b", "n elements");
        output(k, C, "C", "an element a block: its partial sum");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer) { return buffer == C ? d.grid.x : d.n; }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.block.x * element_bytes;
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.grid.x}; }
    template <class X> static HOST_DEVICE typename X::T generate(const X &, int buffer, uint64_t i)
    {
        return (typename X::T)(buffer == A ? i % 127 : 1 + i % 2);
    }
    template <class Context> static BODY void body(Context &c)
    {
        c.threads([&] {
            typename Context::T sum = 0;
            c.strided(c.n, [&](auto i) { sum = sum + c.load(A, i) * c.load(B, i); });
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
                c.store(C, c.block_x(), c.load_shared(c.thread_x()));
        });
    }
    /* The sum of the products before element `end`. Within half a period the products are i, doubled where
       b[i] is 2: at odd i in the first half, at even i - 127 in the second. */
    static HOST_DEVICE uint64_t sum_before(uint64_t end)
    {
        constexpr uint64_t half = period / 2, first = half * (half - 1) / 2 + (half / 2) * (half / 2),
                           second = half * (half - 1) / 2 + (half / 2 + 1) * (half / 2);
        uint64_t rest = end % period, i = rest < half ? rest : rest - half;
        uint64_t all = i * (i - 1) / 2, odd = (i / 2) * (i / 2), even = all - odd;
        return end / period * (first + second) + (rest < half ? all + odd : first + all + even);
    }
    /* A block takes its part of every stretch of grid x block elements. Where those parts begin, modulo the
       period, is the same again after `period` of them, and so is their sum. */
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t block)
    {
        uint64_t stretch = x.grid_x * x.block_x, first = block * x.block_x, sum = 0;
        /* whole ones */
        uint64_t parts = first + x.block_x > x.n ? 0 : (x.n - first - x.block_x) / stretch + 1;
        for (uint64_t p = 0; p < period && p < parts; p++) {
            uint64_t begin = first + p * stretch, times = (parts - p - 1) / period + 1;
            sum += times * (sum_before(begin + x.block_x) - sum_before(begin));
        }
        uint64_t last = first + parts * stretch;
        if (last < x.n)
            sum += sum_before(x.n) - sum_before(last);
        return (typename X::T)sum;
    }
};
SUITE_KERNEL(stream_dot)

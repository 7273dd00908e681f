/* histogram: C[k] += how many elements of A are k.

     global   each element is an update of C: in the L2, where all blocks meet
     shared   each block counts its own elements in shared memory, and then adds its counts to C: bins updates a block

   A loop over the grid: with fewer blocks fewer counts are added to C at the end. The fewer bins, the more
   lanes of a warp want the same one, and updates of one address are done one after the other.

   What A holds looks drawn and can be counted without looking at it: within each whole group of 4096 elements
   every value comes equally often, in an order of the group's own. */
#include "kernels/suite/suite.h"

struct histogram : suite_kernel {
    enum { HOW, BINS };
    enum { A, C };
    enum { GLOBAL, SHARED };
    static constexpr unsigned dtypes = I32;
    static constexpr bool sampled = true, block_level = true, grid_stride_loop = true;
    static constexpr int variants = 2;
    static constexpr uint64_t group = 4096;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"global", "shared", nullptr};
        k.title = {"Histogram", "直方图"};
        k.text = {"C[k] += how many elements of A are k", "C[k] += A 中等于 k 的元素个数"};
        k.lesson = {"Where many threads update few addresses, counts in a block's shared memory are near, "
                    "and collide with fewer others.",
                    "许多线程更新少数地址时，各块自己的计数更近，冲突也更少。"};
        k.size[0] = 16777216;
        param_choice(k, HOW, "how",
                     {"where elements are counted: in global memory, or in each block's shared memory first",
                      "在哪里计数：全局内存，或先在各块的共享内存"},
                     ways);
        param_power_of_two(k, BINS, "bins", "", {"values that an element may have", "元素可能取的值的个数"},
                           1, (int64_t)group, 256);
        input(k, A, "A", "n elements of 0 to bins - 1");
        accumulated(k, C, "C", "an element a bin");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == C ? (uint64_t)d.param[BINS] : d.n;
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.param[HOW] == SHARED ? (uint64_t)d.param[BINS] * element_bytes : 0;
    }
    static traffic ledger(const domain &d)
    {
        return {d.n, 0, d.param[HOW] == SHARED ? d.grid.x * (uint64_t)d.param[BINS] : d.n};
    }
    /* Each step maps 0 to 4095 onto itself: so does the whole, and its remainder by bins comes equally
       often. */
    static HOST_DEVICE uint64_t drawn(uint64_t i, uint64_t bins)
    {
        uint64_t own = input_value(A, i / group) | (uint64_t)input_value(C, i / group) << 8;
        uint64_t k = (i % group * 2405 + own) % group;
        k ^= k >> 5;
        k = k * 1597 % group;
        k ^= k >> 7;
        return k % bins;
    }
    template <class X> static HOST_DEVICE typename X::T generate(const X &x, int buffer, uint64_t i)
    {
        return buffer == A ? (typename X::T)drawn(i, (uint64_t)x.param(BINS)) : x.input(buffer, i);
    }
    /* Calls f(bin) for each bin, spread over the threads. */
    template <class Context, class F> static BODY void each_bin(Context &c, F f)
    {
        c.threads([&] {
            for (auto k = c.thread_x(); k < c.param(BINS); k = k + c.block_dim_x())
                f(k);
        });
    }
    template <class Context> static BODY void body(Context &c)
    {
        if constexpr (Context::variant == SHARED) {
            each_bin(c, [&](auto k) { c.store_shared(k, 0); });
            c.barrier();
        }
        c.threads([&] {
            c.strided(c.n, [&](auto i) {
                auto k = c.index_of(c.load(A, i));
                if constexpr (Context::variant == SHARED)
                    c.atomic_add_shared(k, 1);
                else
                    c.atomic_add(C, k, 1);
            });
        });
        if constexpr (Context::variant == SHARED) {
            c.barrier();
            each_bin(c, [&](auto k) { c.atomic_add(C, k, c.load_shared(k)); });
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t k)
    {
        uint64_t bins = (uint64_t)x.param(BINS), whole = x.n / group;
        typename X::T value = x.input(C, k) + (typename X::T)(whole * (group / bins));
        for (uint64_t i = whole * group; i < x.n; i++)
            value += drawn(i, bins) == k;
        return value;
    }
};
SUITE_KERNEL(histogram)

/* reduction: C[block] = the sum of the block's elements of A, one a thread.

     divergent   pairs 1, 2, 4, ... apart; the thread of the lower one adds: ever fewer lanes of every warp are busy
     strided     the same pairs, and the first threads add: whole warps are busy, and their words ever further apart meet in
                 the same banks
     sequential  the first half adds the second half: whole warps, and neighbouring words
     shuffle     lanes of a warp pass their sums on without memory; the warps' sums go through shared memory once

   All read A once. What differs is how long the block then takes, and how often it waits at a barrier. */
#include "kernels/suite/suite.h"

struct reduction : suite_kernel {
    enum { HOW };
    enum { A, C };
    enum { DIVERGENT, STRIDED, SEQUENTIAL, SHUFFLE };
    static constexpr bool block_level = true;
    static constexpr int variants = 4;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"divergent", "strided", "sequential", "shuffle", nullptr};
        k.title = {"Sums of blocks", "块内求和"};
        k.text = {"C[block] = the sum of the block's elements of A", "C[块号] = 本块在 A 中的元素之和"};
        k.lesson = {
            "Active threads should fill warps, and their words should lie in different banks; values that "
            "lanes exchange directly need no barrier.",
            "继续工作的线程应填满线程束，它们的字应分散到各存储体；通道之间直接传递的数据不需要屏障。"};
        k.size[0] = 16777216;
        param_choice(k, HOW, "how", {"who adds which two", "哪些线程把哪两个元素相加"}, ways);
        input(k, A, "A", "n elements; what a block has beyond them counts as 0");
        output(k, C, "C", "an element a block: its sum");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer) { return buffer == C ? d.grid.x : d.n; }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return (d.param[HOW] == SHUFFLE ? (d.block.x + 31) / 32 : d.block.x) * element_bytes;
    }
    static traffic ledger(const domain &d) { return {d.n, d.grid.x}; }

    template <class Context> static BODY typename Context::T own(Context &c)
    {
        typename Context::T mine = 0;
        if (c.global_x() < c.n)
            mine = c.load(A, c.global_x());
        return mine;
    }
    /* In each thread that has one: word `from` is added to word `to`, `apart` further down. */
    template <class Context, class I> static BODY void step(Context &c, I apart)
    {
        c.barrier();
        c.threads([&] {
            auto thread = c.thread_x(), to = thread;
            bool adds = true;
            if constexpr (Context::variant == DIVERGENT)
                adds = (thread & (apart * 2 - 1)) == 0;
            else if constexpr (Context::variant == STRIDED)
                to = thread * 2 * apart;
            else
                adds = thread < apart;
            if (adds && to + apart < c.block_dim_x())
                c.store_shared(to, c.load_shared(to) + c.load_shared(to + apart));
        });
    }
    template <class Context> static BODY void by_memory(Context &c)
    {
        auto width = c.block_dim_x(), apart = width * 0 + 1;
        c.threads([&] { c.store_shared(c.thread_x(), own(c)); });
        if constexpr (Context::variant == SEQUENTIAL) {
            while (apart * 2 < width)
                apart = apart * 2;
            for (; apart > 0; apart = apart / 2)
                step(c, apart);
        } else {
            for (; apart < width; apart = apart * 2)
                step(c, apart);
        }
        c.threads([&] {
            if (c.thread_x() == 0)
                c.store(C, c.block_x(), c.load_shared(c.thread_x()));
        });
    }
    static int architecture(const domain &d) { return d.param[HOW] == SHUFFLE ? 30 : 0; }
    template <class Context> static BODY void by_shuffles(Context &c)
    {
        c.warp_sum([&] { return own(c); }, [&](auto sum) { c.store_shared(c.thread_x() / 32, sum); });
        c.barrier();
        c.warp_sum(
            [&] {
                typename Context::T one = 0;
                if (c.thread_x() * 32 < c.block_dim_x())
                    one = c.load_shared(c.thread_x());
                return one;
            },
            [&](auto sum) {
                if (c.thread_x() == 0)
                    c.store(C, c.block_x(), sum);
            });
    }
    template <class Context> static BODY void body(Context &c)
    {
        if constexpr (Context::variant == SHUFFLE)
            by_shuffles(c);
        else
            by_memory(c);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t block)
    {
        uint64_t first = block * x.block_x, end = first + x.block_x < x.n ? first + x.block_x : x.n;
        typename X::T value = 0;
        for (uint64_t i = first; i < end; i++)
            value += x.input(A, i);
        return value;
    }
};
SUITE_KERNEL(reduction)

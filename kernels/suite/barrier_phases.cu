/* barrier_phases: a block passes its elements on, thread to thread, with a barrier between the phases.

   C[i] = the element `phases` threads further within the block (from the last on to the first), plus phases. At
   a barrier all warps of a block wait for the slowest; other blocks on the same multiprocessor go on. A block
   of 1024 threads that is alone there leaves it idle meanwhile; of eight blocks of 128 the others go on. */
#include "kernels/suite/suite.h"

struct barrier_phases : suite_kernel {
    enum { PHASES };
    enum { A, C };
    static constexpr bool block_level = true;

    static void describe(kernel &k)
    {
        k.title = {"Barriers: one big block, or several small ones", "屏障：一个大块，或几个小块"};
        k.text = {
            "C[i] = A[the element `phases` threads further within the block] + phases, a step at a time",
            "C[i] = A[块内往后 `phases` 个线程的元素] + phases，一次一步"};
        k.lesson = {"At a barrier one big block stalls as a whole; of several small blocks some work while "
                    "others wait.",
                    "一个大块在屏障前整体停下；几个小块则有的等待，有的继续工作。"};
        k.block = {1024, 1, 1};
        param_integer(k, PHASES, "phases", "", {"steps, each behind a barrier", "步数，每步在一个屏障之后"},
                      1, 16, 8);
        input(k, A, "A", "n elements; what a block has beyond them counts as 0");
        output(k, C, "C", "n elements, all written");
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return 2 * d.block.x * element_bytes;
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto width = c.block_dim_x(), from = width * 0, to = width;
        c.threads([&] {
            typename Context::T mine = 0;
            if (c.global_x() < c.n)
                mine = c.load(A, c.global_x());
            c.store_shared(c.thread_x(), mine);
        });
        for (auto phase = c.param(PHASES); phase > 0; phase = phase - 1) {
            c.barrier();
            c.threads([&] {
                auto next = c.thread_x() + 1;
                if (next == width)
                    next = 0;
                c.store_shared(to + c.thread_x(), c.load_shared(from + next) + 1);
            });
            auto read = from;
            from = to;
            to = read;
        }
        c.barrier();
        c.threads([&] {
            if (c.global_x() < c.n)
                c.store(C, c.global_x(), c.load_shared(from + c.thread_x()));
        });
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t phases = (uint64_t)x.param(PHASES), first = i / x.block_x * x.block_x;
        uint64_t source = first + (i - first + phases) % x.block_x;
        return (source < x.n ? x.input(A, source) : 0) + (typename X::T)phases;
    }
};
SUITE_KERNEL(barrier_phases)

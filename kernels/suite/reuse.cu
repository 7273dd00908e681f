/* reuse: each thread reads its `each` elements `passes` times; C[thread] = the sum of what it read.

   A block's elements lie together, neighbouring lanes at neighbours, and nobody else reads them. A later pass
   finds them in the L1, or not: what all threads of a multiprocessor read in a pass has to fit there. 2048
   threads of 4 bytes are 8 KB for each of `each`; fewer (`shared_bytes` on top of what the blocks have, blocks
   that leave a rest) leave more to each. */
#include "kernels/suite/suite.h"

struct reuse : suite_kernel {
    enum { EACH, PASSES, LOAD };
    enum { A, C };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Reuse over time", "时间上的重用"};
        k.text = {"C[thread] = the sum of the thread's `each` elements of A, read `passes` times",
                  "C[线程号] = 该线程在 A 中 `each` 个元素之和，读 `passes` 遍"};
        k.lesson = {"Data that is read again comes from the L1, as long as everything fits that the SM's "
                    "threads read in between.",
                    "只要一个多处理器的所有线程在两次读取之间所读的内容都放得下，再次读取的数据就来自 L1。"};
        k.size[0] = 16777216;
        k.per_thread = 64;
        param_power_of_two(k, EACH, "each", "elements a thread",
                           {"what a thread reads in a pass", "一个线程每遍读取的元素个数"}, 1, 64, 8);
        param_integer(k, PASSES, "passes", "", {"how many times it does", "读取的遍数"}, 1, 8, 4);
        param_load(k, LOAD);
        input(k, A, "A", "n elements, in whole blocks of block x each");
        output(k, C, "C", "an element a thread of these blocks: its sum");
    }
    /* Threads of the blocks that have any of the n elements. */
    static HOST_DEVICE uint64_t readers(const domain &d)
    {
        uint64_t tile = d.block.x * (uint64_t)d.param[EACH];
        return (d.n + tile - 1) / tile * d.block.x;
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return readers(d) * (buffer == A ? (uint64_t)d.param[EACH] : 1);
    }
    static shape cover(const domain &d) { return {readers(d), 1, 1}; }
    static traffic ledger(const domain &d)
    {
        return {readers(d) * (uint64_t)(d.param[EACH] * d.param[PASSES]), readers(d)};
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto width = c.block_dim_x();
        auto each = c.param(EACH);
        auto first = c.block_x() * (width * each);
        if (first < c.n) {
            typename Context::T sum = 0;
            c.each_step(c.param(PASSES), [&] {
                typename Context::I i = first + c.thread_x();
                c.each_step(each, [&] {
                    sum = sum + c.load(A, i);
                    i += width;
                });
            });
            c.store(C, c.global_x(), sum);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t k)
    {
        uint64_t each = (uint64_t)x.param(EACH), thread = k % x.block_x, first = (k - thread) * each;
        typename X::T value = 0;
        for (uint64_t e = 0; e < each; e++)
            value += x.input(A, first + e * x.block_x + thread);
        value *= (typename X::T)x.param(PASSES);
        return value;
    }
};
SUITE_KERNEL(reuse)

/* bank_conflict: C[i] = the sum over r < repeats of S[(thread * stride + r) mod block], S the block's elements
   of A.

   Shared memory has 32 banks, and a bank delivers one word at a time. With an odd stride the lanes of a warp
   use 32 banks; with a stride of 2 they share 16, two lanes each; with 32 they all wait for one. */
#include "kernels/suite/suite.h"

struct bank_conflict : suite_kernel {
    enum { STRIDE, REPEATS };
    enum { A, C };
    static constexpr bool block_level = true;

    static void describe(kernel &k)
    {
        k.title = {"Bank conflicts", "存储体冲突"};
        k.text = {
            "C[i] = the sum over r < repeats of S[(thread x stride + r) mod block], S the block's part of A",
            "C[i] = 对 r < repeats 求和 S[(线程号 x stride + r) mod 块大小]，S 是 A 中本块的一段"};
        k.lesson = {
            "In shared memory banks count, not sectors: a warp waits for the bank with most of its words.",
            "共享内存里要看的不是扇区，而是存储体：线程束要等到排队最长的存储体完成。"};
        param_integer(k, STRIDE, "stride", "elements of shared memory",
                      {"distance between the words of neighbouring lanes", "相邻通道的字之间的距离"}, 1, 64,
                      1);
        param_integer(k, REPEATS, "repeats", "",
                      {"loads from shared memory a thread", "每个线程从共享内存读取的次数"}, 1, 16, 16);
        input(k, A, "A", "n elements; what a block has beyond them counts as 0");
        output(k, C, "C", "n elements, all written");
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.block.x * element_bytes;
    }
    template <class Context> static BODY void body(Context &c)
    {
        c.threads([&] {
            typename Context::T mine = 0;
            if (c.global_x() < c.n)
                mine = c.load(A, c.global_x());
            c.store_shared(c.thread_x(), mine);
        });
        c.barrier();
        c.threads([&] {
            typename Context::T sum = 0;
            auto at = c.thread_x() * c.param(STRIDE) % c.block_dim_x();
            c.each_step(c.param(REPEATS), [&] {
                sum = sum + c.load_shared(at);
                at = at + 1;
                if (at == c.block_dim_x())
                    at = 0;
            });
            if (c.global_x() < c.n)
                c.store(C, c.global_x(), sum);
        });
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t first = i / x.block_x * x.block_x, begin = (i - first) * (uint64_t)x.param(STRIDE);
        typename X::T value = 0;
        for (uint64_t r = 0; r < (uint64_t)x.param(REPEATS); r++) {
            uint64_t k = first + (begin + r) % x.block_x;
            value += k < x.n ? x.input(A, k) : 0;
        }
        return value;
    }
};
SUITE_KERNEL(bank_conflict)

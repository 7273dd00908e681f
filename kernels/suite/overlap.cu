/* overlap: D = f(A), from the host's memory to the host's memory: copied in, worked on, copied out, in chunks
   that go through streams by turns.

   With one stream each chunk's three steps wait for each other, and so do the chunks. With two or more, one
   chunk is copied in while another is worked on and a third is copied out: a GPU has an engine for each
   direction. Smaller chunks fill the pipeline sooner, and each costs a launch and two copies. `rounds` is how
   much is done with each element.

   B and C are the device's copies of what comes and what goes. On a CPU the same is done one after the other. */
#include "kernels/suite/suite.h"

struct overlap : suite_kernel {
    enum { STREAMS, CHUNKS, ROUNDS };
    enum { A, B, C, D };
    static constexpr bool host_memory = true, streamed = true;
    static constexpr unsigned dtypes = F32 | F64; /* of integers a compiler would make one addition */

    static void describe(kernel &k)
    {
        k.title = {"Copies and work in streams", "流中的复制与计算"};
        k.text = {
            "D[i] = A[i] + 1 + 1 + ..., `rounds` additions, in chunks: copied in, worked on, copied out",
            "D[i] = A[i] + 1 + 1 + ...，共 `rounds` 次加法，分段进行：拷入、计算、拷出"};
        k.lesson = {"Copies in, copies out and kernels can run at the same time, if they are of different "
                    "chunks in different streams.",
                    "拷入、拷出和内核可以同时进行，只要它们属于不同流里的不同段。"};
        k.size[0] = 16777216;
        param_integer(k, STREAMS, "streams", "",
                      {"streams that get the chunks one after the other", "流的个数，各段轮流进入"}, 1,
                      STREAMS_MOST, 1);
        param_integer(
            k, CHUNKS, "chunks", "",
            {"chunks that the arrays are cut into, at most one a block", "数组切成的段数，最多一块一段"}, 1,
            256, 8);
        param_integer(k, ROUNDS, "rounds", "",
                      {"additions for each element, one after the other", "每个元素的加法次数，一次接一次"},
                      0, 65536, 256);
        input(k, A, "A", "n elements, in the host's memory");
        output(k, B, "B", "n elements: what the device was given");
        output(k, C, "C", "n elements: what it made of them");
        output(k, D, "D", "n elements, in the host's memory");
    }
    static memory memory_of(const domain &, int buffer)
    {
        return buffer == A || buffer == D ? MEMORY_HOST : MEMORY_OWN;
    }
    static int streams(const domain &d) { return (int)d.param[STREAMS]; }
    static int chunks(const domain &d) { return (int)d.param[CHUNKS]; }
    static text_pair untimed(const domain &)
    {
        return {"copies over the bus are not modelled", "模型不含经总线的复制"};
    }
    /* Each of the three steps loads every element and stores it. */
    static traffic ledger(const domain &d) { return {3 * d.n, 3 * d.n, 0, d.n * (uint64_t)d.param[ROUNDS]}; }
    static traffic unmodelled_traffic(const domain &d) { return {2 * d.n, 2 * d.n}; } /* both copies */
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto v = c.load(B, i);
            c.compute(c.param(ROUNDS), [&] { v = v + 1; });
            c.store(C, i, v);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int buffer, uint64_t i)
    {
        typename X::T value = x.input(A, i);
        if (buffer != B)
            value += (typename X::T)x.param(ROUNDS);
        return value;
    }
};
SUITE_KERNEL(overlap)

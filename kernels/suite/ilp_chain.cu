/* ilp_chain: chains of dependent additions, so many of them side by side in each thread.

   An addition has to wait for the one before it in its chain, not for those of the other chains or of other
   warps. With one chain it takes latency x issue rate warps to keep the adders busy, with four chains a quarter
   of them. */
#include "kernels/suite/suite.h"

struct ilp_chain : suite_kernel {
    enum { CHAINS, STEPS };
    enum { A, C };
    static constexpr unsigned dtypes = F32 | F64;
    static constexpr int variants = 4;
    static int variant(const domain &d) { return log_2(d.param[CHAINS]); }

    static void describe(kernel &k)
    {
        k.title = {"Latency hidden by independent instructions", "用独立指令掩盖延迟"};
        k.text = {"C[i] = the sum over c < chains of (A[i] + c + 1 + 1 + ...), `steps` additions a chain",
                  "C[i] = 对 c < chains 求和 (A[i] + c + 1 + 1 + ...)，每条链 `steps` 次加法"};
        k.lesson = {"Warps hide latency, and so do independent instructions of one warp: half the warps with "
                    "twice the chains.",
                    "线程束能掩盖延迟，同一线程束里互不依赖的指令也能：线程束减半、链数加倍，效果相同。"};
        param_power_of_two(k, CHAINS, "chains", "",
                           {"independent chains in a thread", "一个线程里独立的链数"}, 1, 8, 1);
        param_integer(k, STEPS, "steps", "additions",
                      {"dependent additions in each chain", "每条链里前后依赖的加法次数"}, 1, 65536, 1024);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d)
    {
        return {d.n, d.n, 0, d.n * (uint64_t)d.param[CHAINS] * (uint64_t)d.param[STEPS]};
    }
    template <class Context> static BODY void body(Context &c)
    {
        constexpr int chains = 1 << Context::variant;
        auto i = c.global_x();
        if (i < c.n) {
            typename Context::T chain[chains], first = c.load(A, i);
            UNROLL
            for (int u = 0; u < chains; u++)
                chain[u] = first + u;
            c.compute(c.param(STEPS), [&] {
                UNROLL
                for (int u = 0; u < chains; u++)
                    chain[u] = chain[u] + 1;
            });
            UNROLL
            for (int u = 1; u < chains; u++)
                chain[0] = chain[0] + chain[u];
            c.store(C, i, chain[0]);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        int64_t chains = x.param(CHAINS);
        return x.input(A, i) * chains + chains * (chains - 1) / 2 + chains * x.param(STEPS);
    }
};
SUITE_KERNEL(ilp_chain)

/* Shared by the kernels that chase pointers: each chain follows A from element to element, and C[j] is where
   chain j is after `steps`.

   A load waits for the one before it: time over steps is the latency of a load from wherever A lies. A holds
   one ring through all its elements, each a large and constant distance further (one that shares no small
   multiple with n), so that successive loads touch different lines. */
#pragma once

#include "kernels/suite/permute.h"
#include "kernels/suite/suite.h"

struct chase : suite_kernel {
    enum { STEPS, CHAINS, LOAD };
    enum { A, C };
    static constexpr bool sampled = true;
    static constexpr bool load_paths = true;
    static constexpr unsigned dtypes = I32;

    static void describe_chase(kernel &k, const char *what_a_is)
    {
        k.text = {"j times: at = A[at], `steps` times; C[j] = at",
                  "共 j 条链：at = A[at] 重复 `steps` 次；C[j] = at"};
        k.size[0] = 4194304;
        k.block = {32, 1, 1};
        param_integer(k, STEPS, "steps", "loads",
                      {"dependent loads in a chain", "一条链里前后依赖的读取次数"}, 1, 65536, 1024);
        param_integer(k, CHAINS, "chains", "threads",
                      {"chains side by side, evenly apart", "并行的链数，均匀隔开"}, 1, 1024, 1);
        param_load(k, LOAD);
        input(k, A, "A", what_a_is);
        output(k, C, "C", "an element a chain");
    }
    static kernel_problem refuse(const domain &d, dtype)
    {
        kernel_problem problem = permute_refuse(d);
        if (!problem.pointer && (uint64_t)d.param[CHAINS] > d.n) {
            problem.pointer = "#/chains";
            snprintf(problem.detail, sizeof problem.detail,
                     "must not exceed the size, %llu elements; is %lld", (unsigned long long)d.n,
                     (long long)d.param[CHAINS]);
        }
        return problem;
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n : (uint64_t)d.param[CHAINS];
    }
    static shape cover(const domain &d) { return {(uint64_t)d.param[CHAINS], 1, 1}; }
    static traffic ledger(const domain &d)
    {
        uint64_t chains = (uint64_t)d.param[CHAINS], loads = chains * (uint64_t)d.param[STEPS];
        return {loads, chains, 0, loads};
    }
    template <class X> static HOST_DEVICE typename X::T generate(const X &x, int, uint64_t i)
    {
        return (typename X::T)((i + permute_hop(x.n)) % x.n);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto j = c.global_x();
        if (j < c.param(CHAINS)) {
            auto at = j * (c.n / c.param(CHAINS));
            c.each_step(c.param(STEPS), [&] { at = c.index_of(c.load(A, at)); });
            c.store(C, j, c.value_of(at));
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t j)
    {
        uint64_t first = j * (x.n / (uint64_t)x.param(CHAINS));
        return (typename X::T)((first + (uint64_t)x.param(STEPS) * permute_hop(x.n)) % x.n);
    }
};

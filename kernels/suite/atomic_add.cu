/* atomic_add: one is added to C[k] by each of n threads.

   k by where they meet: nowhere (spread), at one address a block, or all at one. Updates of one address are
   done one after the other, in L2. They are a class of access of their own: neither loads nor stores, and the
   compiler and the hardware may join those of a warp, so the model's count of them is no promise. */
#include "kernels/suite/suite.h"

struct atomic_add : suite_kernel {
    enum { MEET };
    enum { C };
    enum { SPREAD, BLOCK, ONE };
    static constexpr bool sampled = true;
    static constexpr unsigned dtypes = I32 | F64;

    static void describe(kernel &k)
    {
        static const char *const meets[] = {"spread", "block", "one", nullptr};
        k.title = {"Atomic updates", "原子更新"};
        k.text = {"C[k] += 1 by n threads; k: the thread, the block, or 0",
                  "n 个线程各做 C[k] += 1；k：线程号、块号或 0"};
        k.lesson = {"The cost of an update grows with the number of others that want the same address at the "
                    "same time.",
                    "一次更新的代价，取决于同时有多少个更新争用同一地址。"};
        k.dtype = DTYPE_I32;
        param_choice(k, MEET, "meet",
                     {"where threads meet: nowhere (spread), at one address a block, or all at one",
                      "各线程更新哪个地址：各不相同（spread），每块一个地址（block），全部同一个地址（one）"},
                     meets);
        accumulated(k, C, "C", "n elements, one a block, or one");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int)
    {
        return d.param[MEET] == ONE ? 1 : d.param[MEET] == BLOCK ? d.grid.x : d.n;
    }
    static traffic ledger(const domain &d) { return {0, 0, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x(), k = i;
        auto meet = c.param(MEET);
        if (meet == ONE)
            k = i * 0;
        else if (meet == BLOCK)
            k = c.block_x();
        if (i < c.n)
            c.atomic_add(C, k, 1);
    }
    template <class X> static HOST_DEVICE uint64_t updates(const X &x, uint64_t k)
    {
        uint64_t first = k * x.block_x;
        if (x.param(MEET) == ONE)
            return x.n;
        if (x.param(MEET) != BLOCK)
            return 1;
        return first >= x.n ? 0 : x.n - first < x.block_x ? x.n - first : x.block_x;
    }
    template <class X> static HOST_DEVICE bool written(const X &x, int, uint64_t k)
    {
        return updates(x, k) > 0;
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t k)
    {
        return x.input(C, k) + (typename X::T)updates(x, k);
    }
};
SUITE_KERNEL(atomic_add)

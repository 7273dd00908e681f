/* aos_aligned: aos with the structure aligned to its size: x and y come and go in one access.

   Alignment is the promise that lets a thread move its whole structure at once. The lanes of a warp then ask
   for neighbouring bytes again, and all that is moved is used. */
#include "kernels/suite/suite.h"

struct aos_aligned : suite_kernel {
    enum { IN, OUT };

    static void describe(kernel &k)
    {
        k.title = {"Array of aligned structures", "对齐的结构数组"};
        k.text = {"out[i] = {in[i].x + 10, in[i].y + 20}, a pair an access",
                  "out[i] = {in[i].x + 10, in[i].y + 20}，每次访问一对"};
        k.lesson = {"A structure that is aligned to its size is moved in one access: 100 % efficiency "
                    "without another layout.",
                    "按自身大小对齐的结构可以一次搬运：不改布局，效率也是 100 %。"};
        k.block = {128, 1, 1};
        input(k, IN, "in", "n pairs");
        output(k, OUT, "out", "n pairs, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int) { return 2 * d.n; }
    static traffic ledger(const domain &d) { return {2 * d.n, 2 * d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto pair = c.template load_wide<2>(IN, i);
            pair.v[0] = pair.v[0] + 10;
            pair.v[1] = pair.v[1] + 20;
            c.store_wide(OUT, i, pair);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(IN, i) + (i % 2 ? 20 : 10);
    }
};
SUITE_KERNEL(aos_aligned)

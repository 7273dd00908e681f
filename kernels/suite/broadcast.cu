/* broadcast: C[i] = A[the first element of i's warp, of its block, or of all].

   All lanes of a warp ask for one address: one sector, of which one element is used, serves 32 of them. */
#include "kernels/suite/suite.h"

struct broadcast : suite_kernel {
    enum { SHARE, LOAD };
    enum { A, C };
    enum { WARP, BLOCK, GRID };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        static const char *const shares[] = {"warp", "block", "grid", nullptr};
        k.title = {"One address for all lanes", "所有通道访问同一地址"};
        k.text = {"C[i] = A[the first element of i's warp, block, or grid]",
                  "C[i] = A[i 所在线程束、块或网格的第一个元素]"};
        k.lesson = {
            "Lanes that request the same bytes are served together: the request moves a single sector.",
            "访问相同字节的通道一次全部得到数据：一个请求只搬运一个扇区。"};
        param_choice(
            k, SHARE, "share",
            {"who shares an address: a warp, a block, or the grid", "谁共用一个地址：线程束、块或整个网格"},
            shares);
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x(), k = i * 0;
        auto share = c.param(SHARE);
        if (share == WARP)
            k = i - c.thread_x() % 32;
        else if (share == BLOCK)
            k = i - c.thread_x();
        if (i < c.n)
            c.store(C, i, c.load(A, k));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t thread = i % x.block_x;
        return x.input(A, x.param(SHARE) == WARP    ? i - thread % 32
                          : x.param(SHARE) == BLOCK ? i - thread
                                                    : 0);
    }
};
SUITE_KERNEL(broadcast)

/* aos: an array of structures {x, y}: x + 10 and y + 20 of every pair, out of place.

   x and y are separate accesses. The lanes of a warp are 2 elements apart in each, so that half of every
   sector is not used by the access that moved it. soa does the same work on two arrays. */
#include "kernels/suite/suite.h"

struct aos : suite_kernel {
    enum { LOAD };
    enum { IN, OUT };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Array of structures", "结构数组"};
        k.text = {"out[i].x = in[i].x + 10, out[i].y = in[i].y + 20"};
        k.lesson = {"Accessing the fields of a structure one by one uses half of the moved bytes: 50 % "
                    "efficiency, loads and stores.",
                    "逐个访问结构的字段，搬运的数据只用到一半：读取和写入的效率都是 50 %。"};
        k.block = {128, 1, 1};
        param_load(k, LOAD);
        input(k, IN, "in", "n pairs");
        output(k, OUT, "out", "n pairs, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int) { return 2 * d.n; }
    static traffic ledger(const domain &d) { return {2 * d.n, 2 * d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto x = c.load(IN, i * 2), y = c.load(IN, i * 2 + 1);
            c.store(OUT, i * 2, x + 10);
            c.store(OUT, i * 2 + 1, y + 20);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(IN, i) + (i % 2 ? 20 : 10);
    }
};
SUITE_KERNEL(aos)

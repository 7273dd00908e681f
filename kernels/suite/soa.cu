/* soa: a structure of arrays: x[i] + 10 and y[i] + 20, out of place.

   The work of aos on two arrays: neighbouring lanes ask for neighbouring elements, and all that is moved is
   used. */
#include "kernels/suite/suite.h"

struct soa : suite_kernel {
    enum { LOAD };
    enum { IN_X, IN_Y, OUT_X, OUT_Y };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Structure of arrays", "数组结构"};
        k.text = {"out.x[i] = in.x[i] + 10, out.y[i] = in.y[i] + 20"};
        k.lesson = {
            "One array a field: neighbouring threads ask for neighbouring elements, 100 % efficiency.",
            "每个字段一个数组：相邻线程访问相邻元素，效率 100 %。"};
        k.block = {128, 1, 1};
        param_load(k, LOAD);
        input(k, IN_X, "in.x", "n elements");
        input(k, IN_Y, "in.y", "n elements");
        output(k, OUT_X, "out.x", "n elements, all written");
        output(k, OUT_Y, "out.y", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {2 * d.n, 2 * d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto x = c.load(IN_X, i), y = c.load(IN_Y, i);
            c.store(OUT_X, i, x + 10);
            c.store(OUT_Y, i, y + 20);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int buffer, uint64_t i)
    {
        return buffer == OUT_X ? x.input(IN_X, i) + 10 : x.input(IN_Y, i) + 20;
    }
};
SUITE_KERNEL(soa)

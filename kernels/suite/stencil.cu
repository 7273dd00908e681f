/* stencil: C[i] from the 2 x radius + 1 elements around its place in A, with the weights of a second
   difference.

   Each element of A is asked for by 3 or 5 threads. The lanes of a warp ask for neighbours each time, from an
   element further on, so that all but the first find what they ask for in the L1, or else, past it (`load`:
   "cg"), in the L2: the memory gives every byte once, and a stencil is as fast as a copy while the L1 keeps up. */
#include "kernels/suite/suite.h"

struct stencil : suite_kernel {
    enum { RADIUS, LOAD };
    enum { A, C };
    static constexpr unsigned dtypes = F32 | F64;
    static constexpr bool load_paths = true;
    static constexpr int variants = 2;
    static int variant(const domain &d) { return (int)d.param[RADIUS] - 1; }

    static void describe(kernel &k)
    {
        k.title = {"Stencil of 3 or 5 points", "3 点或 5 点模板"};
        k.text = {"radius 1: C[i] = A[i] - 2 A[i+1] + A[i+2]; "
                  "2: C[i] = -A[i] + 16 A[i+1] - 30 A[i+2] + 16 A[i+3] - A[i+4]",
                  "半径 1：C[i] = A[i] - 2 A[i+1] + A[i+2]；2：C[i] = -A[i] + 16 A[i+1] - 30 A[i+2] + 16 "
                  "A[i+3] - A[i+4]"};
        k.lesson = {"Elements that neighbours have read are in the L1: for the memory five shifted loads "
                    "cost as much as one.",
                    "相邻线程读过的数据已在 L1：五次错开的读取，对显存来说只相当于一次。"};
        k.size[0] = 33554432;
        param_integer(k, RADIUS, "radius", "elements",
                      {"how far the neighbours reach on each side", "每侧取几个相邻元素"}, 1, 2, 1);
        param_load(k, LOAD);
        input(k, A, "A", "n + 2 x radius elements");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n + 2 * (uint64_t)d.param[RADIUS] : d.n;
    }
    static traffic ledger(const domain &d) { return {d.n * (2 * (uint64_t)d.param[RADIUS] + 1), d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            if constexpr (Context::variant == 0) {
                auto left = c.load(A, i), here = c.load(A, i + 1), right = c.load(A, i + 2);
                c.store(C, i, left - 2 * here + right);
            } else {
                auto far_left = c.load(A, i), left = c.load(A, i + 1), here = c.load(A, i + 2),
                     right = c.load(A, i + 3), far_right = c.load(A, i + 4);
                c.store(C, i, 16 * (left + right) - 30 * here - (far_left + far_right));
            }
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        const int weights[2][5] = {{1, -2, 1}, {-1, 16, -30, 16, -1}};
        int64_t radius = x.param(RADIUS);
        typename X::T value = 0;
        for (int64_t p = 0; p <= 2 * radius; p++)
            value += x.input(A, i + (uint64_t)p) * (typename X::T)weights[radius - 1][p];
        return value;
    }
};
SUITE_KERNEL(stencil)

/* read_only: each thread adds up every (grid x block)-th element of A; C[thread] = its sum.

   As close to reading alone as a kernel gets whose output is checked: a store a thread, however much it reads. */
#include "kernels/suite/suite.h"

struct read_only : suite_kernel {
    enum { LOAD };
    enum { A, C };
    static constexpr bool load_paths = true, block_level = true, grid_stride_loop = true;

    static void describe(kernel &k)
    {
        k.title = {"Read only", "只读"};
        k.text = {"C[thread] = the sum of A[i] over i = thread, thread + threads, ...",
                  "C[线程号] = 对 i = 线程号，线程号 + 线程总数，…… 求和 A[i]"};
        k.lesson = {"The bandwidth of loads alone: the upper limit of everything that reads.",
                    "只做读取能达到多少：一切读取操作的上限。"};
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        output(k, C, "C", "an element a thread: its sum");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n : d.grid.x * d.block.x;
    }
    static traffic ledger(const domain &d) { return {d.n, d.grid.x * d.block.x}; }
    template <class Context> static BODY void body(Context &c)
    {
        c.threads([&] {
            typename Context::T sum = 0;
            c.strided(c.n, [&](auto i) { sum = sum + c.load(A, i); });
            c.store(C, c.global_x(), sum);
        });
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t thread)
    {
        typename X::T value = 0;
        for (uint64_t i = thread; i < x.n; i += x.grid_x * x.block_x)
            value += x.input(A, i);
        return value;
    }
};
SUITE_KERNEL(read_only)

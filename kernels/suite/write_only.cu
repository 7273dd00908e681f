/* write_only: C[i] = the number of its thread within the block, modulo 128.

   Nothing is read. Two elements an access, as the STREAM kernels have it. */
#include "kernels/suite/wide.h"

struct write_only : wide_kernel<2> {
    enum { C };
    static constexpr unsigned most = 128;

    static void describe(kernel &k)
    {
        k.title = {"Write only", "只写"};
        k.text = {"C[i] = the number of the thread that writes it, modulo 128",
                  "C[i] = 写它的线程的编号，对 128 取模"};
        k.lesson = {
            "The bandwidth of stores alone. No thread waits for them until the path to memory is full.",
            "只做写入能达到多少。通往内存的路径占满之前，没有线程需要等待写入。"};
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.per_thread = 2;
        output(k, C, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {0, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto j = c.global_x();
        auto value = c.value_of(c.thread_x() % most);
        if (j * 2 + 1 < c.n)
            c.store_wide(C, j, wide<typename Context::T, 2>{{value, value}});
        else if (j * 2 < c.n)
            c.store(C, j * 2, value);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return (typename X::T)(i / 2 % x.block_x % most);
    }
};
SUITE_KERNEL(write_only)

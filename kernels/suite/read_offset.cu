/* read_offset: C[i] = A[i + offset] + B[i + offset].

   A warp's 32 loads of 4 bytes are 128 neighbouring bytes. With an offset that is no multiple of 8 elements
   they straddle one more 32-byte sector than they need: 5 instead of 4, so a fifth of what is moved is not
   used. The store stays aligned. */
#include "kernels/suite/suite.h"

struct read_offset : suite_kernel {
    enum { OFFSET, LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Misaligned loads";
        k.text = "C[i] = A[i + offset] + B[i + offset]";
        k.lesson = "A load that starts off a sector's boundary moves one sector more a warp: 80 % of what is "
                   "moved is used, 50 % where a cache line is the unit.";
        k.block = {512, 1, 1};
        param_offset(k, "by how many elements the loads are shifted");
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, the first n - offset written");
    }
    static traffic ledger(const domain &d)
    {
        uint64_t touched = d.n - (uint64_t)d.param[OFFSET];
        return {2 * touched, touched};
    }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x(), k = i + c.param(OFFSET);
        if (k < c.n)
            c.store(c.c, i, c.load(c.a, k) + c.load(c.b, k));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        uint64_t k = i + (uint64_t)x.param(OFFSET);
        if (k >= x.n)
            return false;
        value = x.input(0, k) + x.input(1, k);
        return true;
    }
};
SUITE_KERNEL(read_offset)

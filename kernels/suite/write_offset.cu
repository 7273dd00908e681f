/* write_offset: C[i + offset] = A[i] + B[i].

   The counterpart of read_offset: the loads are aligned, the store is shifted. Stores leave in 32-byte
   sectors on every architecture, so 5 sectors are touched instead of 4. */
#include "kernels/suite/suite.h"

struct write_offset : suite_kernel {
    enum { OFFSET, LOAD };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = "Misaligned stores";
        k.text = "C[i + offset] = A[i] + B[i]";
        k.lesson = "A store that starts off a sector's boundary touches one sector more a warp, and sectors "
                   "that are "
                   "written in part.";
        k.block = {512, 1, 1};
        param_offset(k, "by how many elements the stores are shifted");
        param_load(k);
        input(k, "A", "n elements");
        input(k, "B", "n elements");
        output(k, "C", "n elements, those from offset on written");
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
            c.store(c.c, k, c.load(c.a, i) + c.load(c.b, i));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        uint64_t offset = (uint64_t)x.param(OFFSET);
        if (i < offset)
            return false;
        value = x.input(0, i - offset) + x.input(1, i - offset);
        return true;
    }
};
SUITE_KERNEL(write_offset)

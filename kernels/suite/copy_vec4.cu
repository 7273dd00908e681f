/* copy_vec4: C[i] = A[i], four elements an access.

   Wider accesses: one 16-byte load and store a thread instead of four of 4 bytes, so fewer instructions and
   requests move the same sectors. A rest of less than four elements is copied one by one. */
#include "kernels/suite/suite.h"

struct copy_vec4 : suite_kernel {
    static constexpr unsigned dtypes =
        F32 | I32; /* 16 bytes are the widest access that every architecture has */

    static void describe(kernel &k)
    {
        k.title = "Copy, four elements an access";
        k.text = "C[i] = A[i], in accesses of 16 bytes";
        k.lesson = "Wide accesses move the same sectors with a quarter of the requests.";
        k.per_thread = 4;
        input(k, "A", "n elements");
        output(k, "C", "n elements, all written");
    }
    static shape cover(const domain &d)
    {
        return {(d.n + 3) / 4, 1, 1};
    }
    static traffic ledger(const domain &d)
    {
        return {d.n, d.n};
    }
    template <class C> static BODY void body(C &c)
    {
        auto j = c.global_x();
        if (j * 4 + 3 < c.n) {
            c.store4(c.b, j, c.load4(c.a, j));
        } else {
            for (int u = 0; u < 3; u++)
                if (j * 4 + u < c.n)
                    c.store(c.b, j * 4 + u, c.load(c.a, j * 4 + u));
        }
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, i);
        return true;
    }
};
SUITE_KERNEL(copy_vec4)

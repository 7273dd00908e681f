/* copy_vec4: C[i] = A[i], four elements an access.

   Wider accesses: one 16-byte load and store a thread instead of four of 4 bytes, so fewer instructions and
   requests move the same sectors. A rest of less than four elements is copied one by one. */
#include "kernels/suite/wide.h"

struct copy_vec4 : wide_kernel<4> {
    enum { A, C };
    /* 16 bytes are the widest access that every architecture has */
    static constexpr unsigned dtypes = F32 | I32;

    static void describe(kernel &k)
    {
        k.title = {"Copy, four elements an access", "复制，每次访问四个元素"};
        k.text = {"C[i] = A[i], in accesses of 16 bytes", "C[i] = A[i]，每次访问 16 字节"};
        k.lesson = {"Wide accesses move the same sectors with a quarter of the requests.",
                    "宽访问搬运同样的扇区，请求只有四分之一。"};
        k.per_thread = 4;
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        each(
            c, C, [](auto x) { return x; }, A);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(copy_vec4)

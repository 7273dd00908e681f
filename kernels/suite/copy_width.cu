/* copy_width: C[i] = A[i], by so many elements an access as asked for.

   f32 by 2 is a float2, by 4 a float4; elements of 1 and 2 bytes show what an access that is narrower than a
   word costs: the same sectors in more requests. An access is at most 16 bytes wide. A rest of less than
   `width` elements is copied one by one. */
#include "kernels/suite/wide.h"

struct copy_width : width_by_parameter<0> {
    enum { WIDTH };
    enum { A, C };

    static void describe(kernel &k)
    {
        k.title = {"Copy, by the width of an access", "复制，按访问宽度"};
        k.text = {"C[i] = A[i], in accesses of `width` elements", "C[i] = A[i]，每次访问 `width` 个元素"};
        k.lesson = {
            "Memory moves sectors, a warp issues requests: the width of an access trades one for the other.",
            "内存搬运的是扇区，线程束发出的是请求：访问宽度在两者之间取舍。"};
        describe_width(k, 4);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        constexpr int width = 1 << Context::variant;
        if constexpr (width * Context::element_bytes <= access_most)
            wide_access<width>::each(
                c, C, [](auto x) { return x; }, A);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(copy_width)

/* copy_width: C[i] = A[i], by so many elements an access as asked for.

   f32 by 2 is a float2, by 4 a float4; elements of 1 and 2 bytes show what an access that is narrower than a word costs:
   the same sectors in more requests. An access is at most 16 bytes wide. A rest of less than `width` elements is copied
   one by one. */
#include "kernels/suite/wide.h"

struct copy_width : suite_kernel {
    enum { WIDTH };
    enum { A, C };
    static constexpr unsigned dtypes = F32 | F64 | I32 | U8 | U16;
    static constexpr unsigned access_most = 16; /* bytes */
    static constexpr int variants = 5;
    static int variant(const domain &d) { return log_2(d.param[WIDTH]); }

    static void describe(kernel &k)
    {
        k.title = "Copy, by the width of an access";
        k.text = "C[i] = A[i], in accesses of `width` elements";
        k.lesson =
            "Sectors are what memory moves and requests what a warp issues: width trades one for the other.";
        k.per_thread = 16;
        param_power_of_two(k, WIDTH, "width", "elements an access",
                           "elements that one load or store moves, 16 bytes at most", 1, 16, 4);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static shape cover(const domain &d)
    {
        uint64_t width = (uint64_t)d.param[WIDTH];
        return {(d.n + width - 1) / width, 1, 1};
    }
    static kernel_problem refuse(const domain &d, dtype type)
    {
        kernel_problem problem = {};
        uint64_t bytes = (uint64_t)d.param[WIDTH] * dtype_bytes(type);
        if (bytes > access_most) {
            problem.pointer = "#/width";
            snprintf(problem.detail, sizeof problem.detail,
                     "%lld elements of %llu bytes are %llu bytes an access, at most %u are possible",
                     (long long)d.param[WIDTH], (unsigned long long)dtype_bytes(type),
                     (unsigned long long)bytes, access_most);
        }
        return problem;
    }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        constexpr int width = 1 << Context::variant;
        if constexpr (width * Context::element_bytes <= access_most)
            wide_access<width>::each(
                c, C, [](auto x) { return x; }, A);
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(A, i);
        return true;
    }
};
SUITE_KERNEL(copy_width)

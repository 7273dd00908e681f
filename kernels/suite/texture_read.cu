/* texture_read: C[i] = A[i + shift], by texture fetches or by loads.

   A is bound to a texture of linear memory (tex1Dfetch). Textures had a cache of their own once, and were how
   misaligned reads were made cheap; since sm_50 they share the L1 with loads, and since sm_70 what is left is
   the way there. An H200 counts a request for each eight lanes of a fetch, so that 11 elements on each of them
   takes two sectors. */
#include "kernels/suite/suite.h"

struct texture_read : suite_kernel {
    enum { HOW, SHIFT };
    enum { A, C };
    enum { TEXTURE, LOADS };
    static constexpr unsigned dtypes = F32 | I32; /* a texture has no 8-byte elements */
    static constexpr bool textured = true;
    static constexpr uint64_t texels = UINT64_C(1) << 27; /* of linear memory, at most, on every GPU */
    static constexpr int variants = 2;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"texture", "load", nullptr};
        k.title = {"Texture fetches", "纹理读取"};
        k.text = {"C[i] = A[i + shift]"};
        k.lesson = {"A texture fetch moves the same sectors on another path.",
                    "纹理读取走另一条路径，取的扇区相同。"};
        param_choice(k, HOW, "how", {"by texture fetches, or by loads", "用纹理读取，还是普通读取"}, ways);
        param_integer(k, SHIFT, "shift", "elements", {"where reading begins", "读取的起点"}, 0, 1024, 0);
        input(k, A, "A", "n + shift elements");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n + (uint64_t)d.param[SHIFT] : d.n;
    }
    static kernel_problem refuse(const domain &d, dtype)
    {
        kernel_problem problem = {};
        if (elements(d, A) > texels) {
            problem.pointer = "#/size";
            snprintf(problem.detail, sizeof problem.detail,
                     "size and shift are %llu elements, a texture of linear memory has at most %llu",
                     (unsigned long long)elements(d, A), (unsigned long long)texels);
        }
        return problem;
    }
    static text_pair untimed(const domain &d)
    {
        if (d.param[HOW] != TEXTURE)
            return {};
        return {"texture fetches are not modelled", "模型不含纹理读取"};
    }
    static traffic unmodelled_traffic(const domain &d) { return {d.param[HOW] == TEXTURE ? d.n : 0, 0}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            if constexpr (Context::variant == TEXTURE)
                c.store(C, i, c.load_texture(A, i + c.param(SHIFT)));
            else
                c.store(C, i, c.load(A, i + c.param(SHIFT)));
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i + (uint64_t)x.param(SHIFT));
    }
};
SUITE_KERNEL(texture_read)

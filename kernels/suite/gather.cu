/* gather: C[i] = A[p(i)] with a permutation p that can be computed.

   scope "global" permutes all n elements: every lane of a warp moves a sector of its own. scope "block"
   permutes the elements of each block among themselves: as scattered within a warp, but all within a few
   kilobytes that the L1 holds. An index of this kind is not affine: the model traces a part of the blocks. */
#include "kernels/suite/permute.h"
#include "kernels/suite/suite.h"

struct gather : suite_kernel {
    enum { SCOPE, LOAD };
    enum { A, C };
    enum { GLOBAL, BLOCK };
    static constexpr bool sampled = true;
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        static const char *const scopes[] = {"global", "block", nullptr};
        k.title = {"Gather", "收集（gather）"};
        k.text = {"C[i] = A[p(i)], p a permutation of all elements or of each block's own",
                  "C[i] = A[p(i)]，p 是全部元素的排列，或各块自己元素的排列"};
        k.lesson = {"The cost of disorder depends on its range: within a block the L1 hides it, beyond that "
                    "nothing does.",
                    "无序的代价取决于范围：块内的无序由 L1 弥补，超出块的范围就无从弥补。"};
        param_choice(k, SCOPE, "scope",
                     {"what is permuted: all elements, or the elements of each block",
                      "排列的范围：全部元素，或各块自己的元素"},
                     scopes);
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static kernel_problem refuse(const domain &d, dtype) { return permute_refuse(d); }

    static HOST_DEVICE uint64_t source(uint64_t i, uint64_t n, uint64_t width, bool global)
    {
        uint64_t first = global ? 0 : i / width * width,
                 count = global || n - first < width ? n - first : width;
        return first + permuted(i - first, count);
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto n = (uint64_t)c.n, width = (uint64_t)c.block_dim_x();
            bool global = c.param(SCOPE) == GLOBAL;
            auto k = c.computed(i, [=](uint64_t at) { return source(at, n, width, global); });
            c.store(C, i, c.load(A, k));
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, source(i, x.n, x.block_x, x.param(SCOPE) == GLOBAL));
    }
};
SUITE_KERNEL(gather)

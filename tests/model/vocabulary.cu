/* vocabulary: uses all that kernels/suite/suite.h says a context offers, and every operator of values and
   indices. Is compiled by each way as the kernels of the suite are, so that a word that one context lacks
   fails the build. C[i] is A[i] after detours that end where they began; test_vocabulary.cpp runs it. */
#include "kernels/suite/suite.h"

struct vocabulary : suite_kernel {
    enum { CHAINS, STEPS, LOAD };
    enum { A, B, C, D };
    static constexpr bool load_paths = true, block_level = true, grid_stride_loop = true;
    static constexpr int variants = 2;
    static int variant(const domain &d) { return (int)d.param[CHAINS] - 1; }

    static void describe(kernel &k)
    {
        k.title = {"Vocabulary"};
        k.text = {"C[i] = A[i], D[0] += 1 twice by each thread"};
        k.lesson = {"A context keeps what suite.h promises."};
        k.dims = k.grid_dims = k.block_dims = 1;
        param_integer(k, CHAINS, "chains", "", {"which variant"}, 1, 2, 1);
        param_integer(k, STEPS, "steps", "", {"steps"}, 1, 8, 3);
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        input(k, B, "B", "n elements");
        output(k, C, "C", "n elements");
        accumulated(k, D, "D", "one element");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer) { return buffer == D ? 1 : d.n; }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.block.x * (16 / element_bytes) * element_bytes;
    }

    /* v again, by way of every operator; exact for small integers. */
    template <class T> static BODY T values(T v)
    {
        T w = v + 1, u = 3 * v;
        w = 1 + w - 2 + (5 - w) - (5 - v) + 2;
        w = w * 2 / 2 + 0.0f;
        w = w - v * v + v * v + u - u;
        w += v;
        w -= 1;
        w *= 2;
        w /= 2;
        u = -w + w;
        u += 8;
        u = (u / u + 1 / T(1) - 2) * v; /* 0 */
        w = w - v;
        return w + u;
    }
    /* i again, by way of every operator. */
    template <class Context> static BODY auto indices(Context &c, typename Context::I i)
    {
        typename Context::I k = c.thread_x();
        k = i;
        k = 1 + k - 1;
        k = (2 * k) / 2;
        k = -(-k);
        k += 3;
        k -= 3;
        k *= 4;
        k /= 4;
        ++k;
        --k;
        k++;
        k--;
        k = (k << 2) >> 2;
        typename Context::I t = c.thread_x();
        t %= 4;
        auto bits = ((t & 1) | (t & 2)) ^ 0;
        k = k - (c.thread_x() % 4 - bits);
        bool all = k >= 0 && k > -1 && k < c.n && k <= c.n && k == i && !(k != i) && 0 <= k && -1 < k;
        return all ? k : k * 0;
    }
    template <class Context> static BODY void load_all(Context &c, typename Context::I i)
    {
        typename Context::T v = c.load(A, i), w = c.load_ldg(A, i);
        v = values(v) + 2 * w - w - v;
        w = c.load(A, c.index_of(c.load(B, i))); /* elements of B are less than n */
        v += w - w;
        c.store_shared(c.thread_x(), v + c.constant(c.thread_x()) - c.constant(c.thread_x()));
    }
    template <class Context> static BODY void load_pairs(Context &c)
    {
        auto j = c.block_x() * c.block_dim_x() / 2 +
                 c.thread_x(); /* of the block's own elements, which are even */
        if (c.thread_x() < c.block_dim_x() / 2 && j * 2 + 1 < c.n) {
            auto pair = c.template load_wide<2>(A, j);
            c.store_wide(C, j, pair);
        }
    }
    template <class Context> static BODY void body(Context &c)
    {
        static_assert(sizeof(typename Context::T) >= Context::element_bytes, "a value holds an element");
        constexpr int four = 16 / (int)Context::element_bytes;
        c.template staged<STAGED_REGISTERS, four>(A, c.n / four, 1,
                                                  [&](auto j, auto w) { c.store_wide(C, j, w); });
        c.barrier();
        c.threads([&] {
            typename Context::I i = c.block_x() * c.block_dim_x() + c.thread_x(), steps = 0;
            i += (c.thread_y() + c.block_y() + c.global_y()) * c.block_dim_y(); /* all 0, of one dimension */
            c.each_step(c.param(STEPS), [&] { steps += 1; });
            c.compute(c.param(STEPS), [&] {});
            if (i < c.n && i < c.rows * c.columns) {
                load_all(c, indices(c, i));
                c.atomic_add(D, i * 0, 1);
            }
        });
        c.barrier();
        c.each_of_grid(c.n, [&](auto i) { c.store(C, i, c.load(A, i)); });
        c.threads([&] {
            typename Context::T sum = 0;
            c.strided(c.n, [&](auto i) { sum = sum + c.load(B, i); });
            if (c.global_x() == 0)
                c.store(C, c.index_of(c.value_of(c.thread_x())), sum);
            c.atomic_add_shared(c.thread_x(), 1);
            c.atomic_add_shared(c.thread_x(), -1);
            if (Context::variant == 0)
                load_pairs(c);
        });
        c.barrier();
        c.warp_sum([&] { return typename Context::T(c.global_x() < c.n ? 1 : 0); },
                   [&](auto lanes) { c.atomic_add(D, c.thread_x() * 0, lanes); });
        c.threads([&] { /* last, so that what was stored in between does not count */
                        if (c.global_x() < c.n)
                            c.store(C, c.computed(c.global_x(), [](uint64_t at) { return at; }),
                                    c.load_shared(c.thread_x()));
        });
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int buffer, uint64_t i)
    {
        return x.input(buffer == D ? D : A, i) + (typename X::T)(buffer == D ? 2 * x.n : 0);
    }
};
SUITE_KERNEL(vocabulary)

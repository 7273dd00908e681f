/* Compiles a kernel's file as what its body touches: nothing is loaded or stored, and indices are affine
   (tracer.h). */
#include <math.h>

#include "kernels/model/warp_listing.h"
#include "kernels/suite/choose.h"

/* A value is a double, whatever the element's type: an unknown one is NaN, and so is every result of it.
   Whole numbers are exact, but are not divided as integers. (Operators of a class would be evaluated in an
   order that the compiler chooses: loads of one expression could be listed from the right.) */
template <class K, class T_, int V> struct model_context {
    using T = double;
    using I = affine;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
    tracer &to;
    int64_t n, rows, columns;

    explicit model_context(tracer &t)
        : to(t), n((int64_t)t.what().domain.n), rows((int64_t)t.what().domain.rows),
          columns((int64_t)t.what().domain.columns)
    {
    }
    int64_t param(int k) const { return to.what().domain.param[k]; }
    int64_t thread_x() const { return to.at().x; }
    int64_t thread_y() const { return to.at().y; }
    affine block_x() const { return to.block(0); }
    affine block_y() const { return to.block(1); }
    int64_t block_dim_x() const { return (int64_t)to.what().domain.block.x; }
    int64_t block_dim_y() const { return (int64_t)to.what().domain.block.y; }
    affine global_x() const { return block_x() * block_dim_x() + thread_x(); }
    affine global_y() const { return block_y() * block_dim_y() + thread_y(); }

    /* W elements from element i on; `space`: a buffer, or SPACE_SHARED. */
    void note(access_kind kind, int space, int W, const affine &i) const
    {
        to.access(kind, space, (unsigned)(W * sizeof(T_)), i * (int64_t)sizeof(T_));
    }
    static T unknown() { return NAN; }
    template <int W> static wide<T, W> unknown_wide()
    {
        wide<T, W> w;
        for (int u = 0; u < W; u++)
            w.v[u] = unknown();
        return w;
    }
    T load(int b, const affine &i) const
    {
        note(ACCESS_LOAD, b, 1, i);
        if (!to.concrete() || !i.is_constant())
            return unknown();
        return (T)K::generate(expectation<T_>::of(to.what().domain), b, (uint64_t)i.c);
    }
    void touch(int b, const affine &i) const { note(ACCESS_LOAD, b, 1, i); }
    void fence() const {}
    void store_volatile(int b, const affine &i, const T &v) const { store(b, i, v); }
    bool await(int b, const affine &i, const T &, int) const /* at the first look */
    {
        to.note_wait();
        touch(b, i);
        return true;
    }
    T load_ldg(int b, const affine &i) const { return load(b, i); }
    template <int W> wide<T, W> load_wide(int b, const affine &j) const
    {
        note(ACCESS_LOAD, b, W, j * (int64_t)W);
        return unknown_wide<W>();
    }
    void store(int b, const affine &i, const T &) const { note(ACCESS_STORE, b, 1, i); }
    template <int W> void store_wide(int b, const affine &j, const wide<T, W> &) const
    {
        note(ACCESS_STORE, b, W, j * (int64_t)W);
    }
    void atomic_add(int b, const affine &i, const T &) const { note(ACCESS_ATOMIC, b, 1, i); }
    T constant(
        const affine &k) const /* a path of its own: in the sums by instruction, in no sum of global loads */
    {
        to.access(ACCESS_LOAD, SPACE_CONSTANT, (unsigned)CONSTANT_WORD_BYTES,
                  k * (int64_t)CONSTANT_WORD_BYTES);
        return unknown();
    }
    T load_shared(const affine &i) const
    {
        note(ACCESS_LOAD, SPACE_SHARED, 1, i);
        return unknown();
    }
    void store_shared(const affine &i, const T &) const { note(ACCESS_STORE, SPACE_SHARED, 1, i); }
    void atomic_add_shared(const affine &i, const T &) const { note(ACCESS_ATOMIC, SPACE_SHARED, 1, i); }

    T load_cluster(int64_t, const affine &) const { return unknown(); } /* of another block: in no sum */
    void cluster_barrier() const { to.add_barrier(); }
    T load_texture(int, const affine &) const { return unknown(); } /* a path of its own */

    template <class F> void threads(F f) const { f(); }
    void barrier() const { to.add_barrier(); }
    template <class F, class G> void warp_sum(F f, G g) const
    {
        const shape &dim = to.what().domain.block;
        const lane &at = to.at();
        f();
        if ((at.x + (int64_t)dim.x * (at.y + (int64_t)dim.y * at.z)) % WARP_LANES == 0)
            g(unknown());
    }
    template <class F> void each_of_grid(int64_t count, F f) const { strided(count, f); }
    template <class F> void strided(int64_t count, F f) const
    {
        to.loop(count, [&] {
            auto i = global_x();
            if (i < count)
                f(i);
        });
    }
    /* The accelerator's copies are requested by no warp; those of cp.async bypass registers. */
    template <int WAY, int W, class F> void staged(int b, int64_t count, int64_t, F f) const
    {
        to.loop(count, [&] {
            auto j = global_x();
            if (!(j < count))
                return;
            if (WAY != STAGED_BULK)
                note(ACCESS_LOAD, b, W, j * (int64_t)W);
            if (WAY == STAGED_REGISTERS)
                note(ACCESS_STORE, SPACE_SHARED, W, affine(thread_x() * W));
            note(ACCESS_LOAD, SPACE_SHARED, W, affine(thread_x() * W));
            f(j, unknown_wide<W>());
        });
    }
    template <class F> void each_step(int64_t steps, F f) const
    {
        to.add_steps(steps);
        to.repeat(steps, f);
    }
    template <class F> void compute(int64_t steps, F f) const /* accesses no memory */
    {
        to.add_steps(steps);
        f();
    }
    template <class F> affine computed(const affine &i, F f) const
    {
        return (int64_t)f((uint64_t)constant_of(i));
    }
    affine index_of(T v) const
    {
        to.note_dependent_load();
        if (isnan(v))
            throw not_affine();
        return (int64_t)v;
    }
    T value_of(const affine &i) const { return i.is_constant() ? (T)(T_)i.c : unknown(); }
};

template <class K, class T, int V> static void model_body(tracer &t)
{
    model_context<K, T, V> c(t);
    K::body(c);
}

template <class K> static void model_trace(const run *r, struct access *sums, struct explain *explain)
{
    with_dtype<K>(r->dtype, [&](auto zero) {
        return with_variant<K>(r->domain, [&](auto variant) {
            warp_listing(*r, sums, explain).trace(model_body<K, decltype(zero), decltype(variant)::value>);
            return 0;
        });
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry model_entry_##name;                                                         \
    extern "C" const model_entry model_entry_##name = model_trace<name>;

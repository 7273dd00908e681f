/* The third way: a body as what it touches. Nothing is loaded or stored; indices are affine (tracer.h). */
#include "kernels/model/tracer.h"
#include "kernels/suite/choose.h"

/* A value: known only where everything is, and of no use as an index elsewhere. */
template <class T> struct datum {
    T value;
    bool known;

    datum() : value(), known(true) {}
    datum(T v, bool is_known = true) : value(v), known(is_known) {}
    explicit operator int64_t() const
    {
        if (!known)
            throw not_affine();
        return (int64_t)value;
    }
    /* Not templates, so that a number may stand on either side. */
    friend datum operator+(const datum &l, const datum &r)
    {
        return {(T)(l.value + r.value), l.known && r.known};
    }
    friend datum operator-(const datum &l, const datum &r)
    {
        return {(T)(l.value - r.value), l.known && r.known};
    }
    friend datum operator*(const datum &l, const datum &r)
    {
        return {(T)(l.value * r.value), l.known && r.known};
    }
    friend datum operator/(const datum &l, const datum &r)
    {
        bool sure =
            l.known && r.known && r.value != T(); /* what is not known is 0, by which nothing is divided */
        return {sure ? (T)(l.value / r.value) : T(), sure};
    }
    friend datum operator-(const datum &v) { return {(T)-v.value, v.known}; }
    friend datum &operator+=(datum &l, const datum &r) { return l = l + r; }
    friend datum &operator-=(datum &l, const datum &r) { return l = l - r; }
    friend datum &operator*=(datum &l, const datum &r) { return l = l * r; }
    friend datum &operator/=(datum &l, const datum &r) { return l = l / r; }
};

template <class K, class T_, int V> struct model_context {
    using T = datum<T_>;
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
    static T unknown() { return T(T_(), false); }
    T load(int b, const affine &i) const
    {
        note(ACCESS_LOAD, b, 1, i);
        if (!to.concrete() || !i.is_constant())
            return unknown();
        return T(K::generate(expectation<T_>::of(to.what().domain), b, (uint64_t)i.c));
    }
    T load_ldg(int b, const affine &i) const { return load(b, i); }
    template <int W> wide<T, W> load_wide(int b, const affine &j) const
    {
        wide<T, W> w;
        note(ACCESS_LOAD, b, W, j * (int64_t)W);
        for (int u = 0; u < W; u++)
            w.v[u] = unknown();
        return w;
    }
    void store(int b, const affine &i, const T &) const { note(ACCESS_STORE, b, 1, i); }
    template <int W> void store_wide(int b, const affine &j, const wide<T, W> &) const
    {
        note(ACCESS_STORE, b, W, j * (int64_t)W);
    }
    void atomic_add(int b, const affine &i, const T &) const { note(ACCESS_ATOMIC, b, 1, i); }
    T constant(const affine &) const { return unknown(); } /* constant memory has a path of its own */
    T load_shared(const affine &i) const
    {
        note(ACCESS_LOAD, SPACE_SHARED, 1, i);
        return unknown();
    }
    void store_shared(const affine &i, const T &) const { note(ACCESS_STORE, SPACE_SHARED, 1, i); }

    template <class F> void threads(F f) const { f(); }
    void barrier() const {}
    template <class F> void each_of_grid(int64_t count, F f) const { strided(count, f); }
    template <class F> void strided(int64_t count, F f) const
    {
        to.loop([&] {
            auto i = global_x();
            if (i < count)
                f(i);
        });
    }
    template <class F> void each_step(int64_t steps, F f) const { to.repeat(steps, f); }
    template <class F> void compute(int64_t, F f) const { f(); } /* touches no memory */
    template <class F> affine computed(const affine &i, F f) const
    {
        return (int64_t)f((uint64_t)constant_of(i));
    }
    affine index_of(const T &v) const { return (int64_t)v; }
    T value_of(const affine &i) const { return i.is_constant() ? T((T_)i.c) : unknown(); }
};

template <class K, class T, int V> static void model_body(tracer &t)
{
    model_context<K, T, V> c(t);
    K::body(c);
}

template <class K> static void model_trace(const run *r, struct access *sums)
{
    with_dtype<K>(r->dtype, [&](auto zero) {
        return with_variant<K>(r->domain, [&](auto variant) {
            tracer(*r, sums).trace(model_body<K, decltype(zero), decltype(variant)::value>);
            return 0;
        });
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry model_entry_##name;                                                         \
    extern "C" const model_entry model_entry_##name = model_trace<name>;

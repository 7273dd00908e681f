/* The third way: a body as what it touches. Nothing is loaded or stored; indices are affine (tracer.h). */
#include "kernels/model/tracer.h"
#include "kernels/suite/suite.h"

/* What was loaded: known only where everything is, and of no use as an index elsewhere. */
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
};
template <class T> datum<T> operator+(const datum<T> &l, const datum<T> &r)
{
    return {(T)(l.value + r.value), l.known && r.known};
}
template <class T> datum<T> operator*(const datum<T> &l, int r)
{
    return {(T)(l.value * (T)r), l.known};
}
template <class T> datum<T> operator+(const datum<T> &l, int r)
{
    return {(T)(l.value + (T)r), l.known};
}

template <class T_> struct model_context {
    using T = datum<T_>;
    using I = affine;
    tracer &to;
    int64_t n, rows, columns;
    T *a, *b, *c, *d;

    /* Buffers are told apart by addresses that nobody follows: 1 to 4. */
    explicit model_context(tracer &t)
        : to(t), n((int64_t)t.what().domain.n), rows((int64_t)t.what().domain.rows),
          columns((int64_t)t.what().domain.columns), a((T *)1), b((T *)2), c((T *)3), d((T *)4)
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

    static int buffer_of(const T *p) { return (int)(uintptr_t)p - 1; }
    T load(const T *p, const affine &i) const
    {
        to.access(false, buffer_of(p), sizeof(T_), i * (int64_t)sizeof(T_));
        if (!to.concrete() || !i.is_constant())
            return T(T_(), false);
        return T((T_)input_value(buffer_of(p), (uint64_t)i.c));
    }
    T load_ldg(const T *p, const affine &i) const { return load(p, i); }
    template <int V> wide<T, V> load_wide(const T *p, const affine &j) const
    {
        wide<T, V> w;
        to.access(false, buffer_of(p), V * sizeof(T_), j * (int64_t)(V * sizeof(T_)));
        for (int u = 0; u < V; u++)
            w.v[u] = T(T_(), false);
        return w;
    }
    void store(T *p, const affine &i, const T &) const
    {
        to.access(true, buffer_of(p), sizeof(T_), i * (int64_t)sizeof(T_));
    }
    template <int V> void store_wide(T *p, const affine &j, const wide<T, V> &) const
    {
        to.access(true, buffer_of(p), V * sizeof(T_), j * (int64_t)(V * sizeof(T_)));
    }
};

template <class K, class T> static void model_body(tracer &t)
{
    model_context<T> c(t);
    K::body(c);
}

template <class K> static void model_trace(const run *r, struct access *sums)
{
    tracer t(*r, sums);
    t.trace(r->dtype == DTYPE_F64   ? model_body<K, double>
            : r->dtype == DTYPE_I32 ? model_body<K, int32_t>
                                    : model_body<K, float>);
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry model_entry_##name;                                                         \
    extern "C" const model_entry model_entry_##name = model_trace<name>;

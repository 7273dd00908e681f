/* A kernel's body as the plain trace's threads run it (plain.h). */
#include "kernels/suite/choose.h"
#include "tests/model/plain.h"

template <class K, class T_, int V> struct plain_context : plain_thread {
    using T = T_;
    using I = int64_t;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
    I n, rows, columns;
    explicit plain_context(const plain_thread &thread)
        : plain_thread(thread), n((I)r.domain.n), rows((I)r.domain.rows), columns((I)r.domain.columns)
    {
    }
    void note(char what, int space, int W, I i) const
    {
        note_bytes(what, space, (unsigned)(W * sizeof(T)), i * (I)sizeof(T));
    }
    I param(int k) const { return r.domain.param[k]; }
    I thread_x() const { return tx; }
    I thread_y() const { return ty; }
    I block_x() const { return bx; }
    I block_y() const { return by; }
    I block_dim_x() const { return (I)r.domain.block.x; }
    I block_dim_y() const { return (I)r.domain.block.y; }
    I global_x() const { return bx * block_dim_x() + tx; }
    I global_y() const { return by * block_dim_y() + ty; }
    T load(int b, I i) const
    {
        note('l', b, 1, i);
        return K::generate(expectation<T>::of(r.domain), b, (uint64_t)i);
    }
    void touch(int b, I i) const { note('l', b, 1, i); }
    void fence() const {}
    void store_volatile(int b, I i, T v) const { store(b, i, v); }
    bool await(int b, I i, T, int) const
    {
        touch(b, i);
        return true;
    }
    T load_ldg(int b, I i) const { return load(b, i); }
    template <int W> wide<T, W> load_wide(int b, I j) const
    {
        note('l', b, W, j * W);
        return {};
    }
    void store(int b, I i, T) const { note('s', b, 1, i); }
    template <int W> void store_wide(int b, I j, wide<T, W>) const { note('s', b, W, j * W); }
    void atomic_add(int b, I i, T) const { note('a', b, 1, i); }
    T constant(I k) const
    {
        note_bytes('l', CONSTANT, 4, k * 4);
        return T();
    }
    T load_shared(I i) const
    {
        note('l', SHARED, 1, i);
        return T();
    }
    void store_shared(I i, T) const { note('s', SHARED, 1, i); }
    void atomic_add_shared(I i, T) const { note('a', SHARED, 1, i); }
    T load_cluster(I, I) const { return T(); }
    void cluster_barrier() const {}
    T load_texture(int, I) const { return T(); }
    template <class F> void threads(F f) const { f(); }
    void barrier() const {}
    template <class F, class G> void warp_sum(F f, G g) const
    {
        f();
        if ((tx + block_dim_x() * ty) % 32 == 0)
            g(T());
    }
    template <class F> void each_of_grid(I count, F f) const { strided(count, f); }
    template <class F> void strided(I count, F f) const
    {
        for (I i = global_x(); i < count; i += (I)r.grid.x * block_dim_x()) {
            virtual_block = i / block_dim_x();
            f(i);
        }
        virtual_block = -1;
    }
    template <int WAY, int W, class F> void staged(int b, I count, I, F f) const
    {
        strided(count, [&](I j) {
            if (WAY != STAGED_BULK)
                note('l', b, W, j * W);
            if (WAY == STAGED_REGISTERS)
                note('s', SHARED, W, tx * W);
            note('l', SHARED, W, tx * W);
            f(j, wide<T, W>{});
        });
    }
    template <class F> void each_step(I steps, F f) const
    {
        note_steps(steps);
        for (I s = 0; s < steps; s++)
            f();
    }
    template <class F> void compute(I steps, F) const { note_steps(steps); }
    template <class F> I computed(I i, F f) const { return (I)f((uint64_t)i); }
    I index_of(T v) const { return (I)v; }
    T value_of(I i) const { return (T)i; }
};

template <class K, class T, int V> static void plain_body(const plain_thread &thread)
{
    plain_context<K, T, V> c(thread);
    K::body(c);
}

template <class K> static void plain_trace(const run *r, struct access *sums, struct explain *)
{
    with_dtype<K>(r->dtype, [&](auto zero) {
        return with_variant<K>(r->domain, [&](auto variant) {
            plain_trace_threads(r, sums, plain_body<K, decltype(zero), decltype(variant)::value>);
            return 0;
        });
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry plain_entry_##name;                                                         \
    extern "C" const model_entry plain_entry_##name = plain_trace<name>;

/* Compiles a kernel's file for the CPU: loops over a block's threads within loops over blocks, x
   innermost, as one would write them by hand. Blocks are spread over the pool's threads. */
#include <cstddef>
#include <vector>

#include "kernels/device/cpu_pool.h"
#include "kernels/device/way.h"

#ifndef WAY_CONTEXT
#define WAY_CONTEXT(...) __VA_ARGS__ /* tests replace it by one that spoils the body */
#define WAY_ENTRY(name) cpu_entry_##name
#endif

template <class T_, int V> struct cpu_context {
    using T = T_;
    using I = int64_t;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
    I n, rows, columns;
    int64_t params[SUITE_PARAMS];
    T *buffers[SUITE_BUFFERS];
    I bx, by, bz, tx, ty, tz, dx, dy, dz, gx, gy, gz;
    T *shared; /* of the current block */

    cpu_context(const run &r, void *shared_memory)
        : n((I)r.domain.n), rows((I)r.domain.rows), columns((I)r.domain.columns), bx(0), by(0), bz(0), tx(0),
          ty(0), tz(0), dx((I)r.domain.block.x), dy((I)r.domain.block.y), dz((I)r.domain.block.z),
          gx((I)r.grid.x), gy((I)r.grid.y), gz((I)r.grid.z), shared((T *)shared_memory)
    {
        for (int i = 0; i < SUITE_PARAMS; i++)
            params[i] = r.domain.param[i];
        for (int b = 0; b < SUITE_BUFFERS; b++)
            buffers[b] = (T *)r.buffer[b];
    }
    BODY I param(int k) const { return params[k]; }
    BODY I thread_x() const { return tx; }
    BODY I thread_y() const { return ty; }
    BODY I block_x() const { return bx; }
    BODY I block_y() const { return by; }
    BODY I block_dim_x() const { return dx; }
    BODY I block_dim_y() const { return dy; }
    BODY I global_x() const { return bx * dx + tx; }
    BODY I global_y() const { return by * dy + ty; }
    /* A CPU has one path to memory. */
    BODY T load(int b, I i) const { return buffers[b][i]; }
    BODY void touch(int, I) const {}
    /* A flag releases what was stored before it, and who sees it acquires that. It may be set by a thread that
       runs only when this one has ended: one look. */
    BODY void fence() const {}
    BODY void store_volatile(int b, I i, T v) const { __atomic_store(buffers[b] + i, &v, __ATOMIC_RELEASE); }
    BODY bool await(int b, I i, T v, int) const
    {
        T found;
        __atomic_load(buffers[b] + i, &found, __ATOMIC_ACQUIRE);
        return found == v;
    }
    BODY T load_ldg(int b, I i) const { return buffers[b][i]; }
    template <int W> BODY wide<T, W> load_wide(int b, I j) const
    {
        wide<T, W> r;
        memcpy(&r, buffers[b] + W * j, sizeof r);
        return r;
    }
    BODY void store(int b, I i, T v) const { buffers[b][i] = v; }
    template <int W> BODY void store_wide(int b, I j, wide<T, W> v) const
    {
        memcpy(buffers[b] + W * j, &v, sizeof v);
    }
    BODY void atomic_add(int b, I i, T v) const
    {
        T *at = buffers[b] + i, old, wanted;
        __atomic_load(at, &old, __ATOMIC_RELAXED);
        do
            wanted = old + v;
        while (!__atomic_compare_exchange(at, &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    }
    BODY T constant(I k) const { return (T)constant_value((uint64_t)k); }
    BODY T load_shared(I i) const { return shared[i]; }
    BODY void store_shared(I i, T v) const { shared[i] = v; }
    BODY void atomic_add_shared(I i, T v) const
    {
        shared[i] += v;
    } /* a block's threads run one after the other */

    T load_texture(int b, I i) const { return buffers[b][i]; }

    /* Runs the threads of a block one after the other; a barrier is the end of such a loop. */
    template <class F> BODY void threads(F f)
    {
        for (tz = 0; tz < dz; tz++)
            for (ty = 0; ty < dy; ty++)
                for (tx = 0; tx < dx; tx++)
                    f();
    }
    BODY void barrier() const {}
    template <class F, class G> BODY void warp_sum(F f, G g)
    {
        I left = dx * dy * dz, lane = 0, first[3] = {};
        T sum = 0;
        threads([&] {
            if (lane == 0)
                first[0] = tx, first[1] = ty, first[2] = tz, sum = 0;
            sum = sum + f();
            left--;
            if (++lane < 32 && left > 0)
                return;
            I last[3] = {tx, ty, tz};
            tx = first[0], ty = first[1], tz = first[2];
            g(sum);
            tx = last[0], ty = last[1], tz = last[2];
            lane = 0;
        });
    }
    /* Goes block by block, so that the elements of neighbouring threads follow each other. */
    template <class F> BODY void each_of_grid(I count, F f) const
    {
        for (I first = bx * dx; first < count; first += gx * dx)
            for (I i = first; i < (first + dx < count ? first + dx : count); i++)
                f(i);
    }
    template <class F> BODY void strided(I count, F f) const
    {
        for (I i = global_x(); i < count; i += gx * dx)
            f(i);
    }
    template <int WAY, int W, class F> BODY void staged(int b, I count, I, F f) const
    {
        each_of_grid(count, [&](I j) { f(j, load_wide<W>(b, j)); });
    }
    template <class F> BODY void each_step(I steps, F f) const
    {
        for (I s = 0; s < steps; s++)
            f();
    }
    template <class F> BODY void compute(I steps, F f) const { each_step(steps, f); }
    template <class F> BODY I computed(I i, F f) const { return (I)f((uint64_t)i); }
    BODY I index_of(T v) const { return (I)v; }
    BODY T value_of(I i) const { return (T)i; }
};

/* The context of a cluster: one for all its blocks, each of which has its part of the shared memory. */
template <class Base> struct cpu_cluster : Base {
    using T = typename Base::T;
    using I = typename Base::I;
    I blocks = 1, rank = 0; /* of the cluster; rank: the current one */
    T *all = nullptr;       /* the shared memory of all blocks, `each` elements for one */
    I each = 0;
    using Base::Base;
    template <class F> BODY void threads(F f)
    {
        I first = this->bx;
        for (rank = 0; rank < blocks; rank++) {
            this->bx = first + rank;
            this->shared = all + rank * each;
            Base::threads(f);
        }
        this->bx = first;
    }
    BODY T load_cluster(I ahead, I i) const { return all[(rank + ahead) % blocks * each + i]; }
    BODY void cluster_barrier() const {}
};

template <class K, class C> static void cpu_clusters(const run &r, uint64_t begin, uint64_t end)
{
    uint64_t blocks = K::cluster(r.domain);
    uint64_t each = (r.shared_bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    std::vector<std::max_align_t> shared(each * blocks + 1);
    cpu_cluster<C> c(r, shared.data());
    c.blocks = (int64_t)blocks;
    c.all = c.shared;
    c.each = (int64_t)(each * sizeof(std::max_align_t) / sizeof(typename C::T));
    for (uint64_t cluster = begin; cluster < end; cluster++) {
        c.bx = (int64_t)(cluster * blocks);
        K::body(c);
    }
}

/* Copies a buffer, as a GPU's copy engine does. */
static inline void cpu_copy_buffer(const run *r, int from, int to, void *where)
{
    uint64_t each = kernel_element_bytes(r->kernel, from, r->dtype);
    cpu_pool_each((cpu_pool *)where, r->elements[from], [&](uint64_t begin, uint64_t end) {
        memcpy((char *)r->buffer[to] + begin * each, (const char *)r->buffer[from] + begin * each,
               (end - begin) * each);
    });
}

template <class K, class C> static void cpu_blocks(const run &r, uint64_t begin, uint64_t end)
{
    std::vector<std::max_align_t> shared(r.shared_bytes / sizeof(std::max_align_t) + 1);
    C c(r, shared.data());
    c.bx = (int64_t)(begin % r.grid.x);
    c.by = (int64_t)(begin / r.grid.x % r.grid.y);
    c.bz = (int64_t)(begin / r.grid.x / r.grid.y);
    for (uint64_t block = begin; block < end; block++) {
        if constexpr (K::block_level)
            K::body(c);
        else
            c.threads([&] { K::body(c); });
        if (++c.bx == c.gx) {
            c.bx = 0;
            if (++c.by == c.gy) {
                c.by = 0;
                c.bz++;
            }
        }
    }
}

template <class K> static int cpu_launch(const run *r, void *where)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        return with_variant<K>(r->domain, [&](auto variant) {
            using C = WAY_CONTEXT(cpu_context<decltype(zero), decltype(variant)::value>);
            if constexpr (K::streamed)
                cpu_copy_buffer(r, 0, 1, where);
            if constexpr (K::clustered)
                cpu_pool_each((cpu_pool *)where, r->grid.x / K::cluster(r->domain),
                              [&](uint64_t begin, uint64_t end) { cpu_clusters<K, C>(*r, begin, end); });
            else
                cpu_pool_each((cpu_pool *)where, r->grid.x * r->grid.y * r->grid.z,
                              [&](uint64_t begin, uint64_t end) { cpu_blocks<K, C>(*r, begin, end); });
            if constexpr (K::streamed)
                cpu_copy_buffer(r, 2, 3, where);
            return 0;
        });
    });
}

template <class K> static int cpu_prepare(const run *r, int buffer, void *where)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        using T = decltype(zero);
        auto x = expectation<T>::of(r->domain);
        buffer_role role = r->kernel->buffers[buffer].role;
        auto *to = (bits_of<T> *)r->buffer[buffer];
        cpu_pool_each((cpu_pool *)where, r->elements[buffer], [&](uint64_t begin, uint64_t end) {
            for (uint64_t i = begin; i < end; i++)
                to[i] = prepared_bits<K>(x, role, buffer, i);
        });
        return 0;
    });
}

void cpu_check_add(mismatches *sum, const mismatches *part); /* locked; cpu.cpp */

template <class K> static int cpu_check(const run *r, int buffer, mismatches *found, void *where)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        using T = decltype(zero);
        auto x = expectation<T>::of(r->domain);
        buffer_role role = r->kernel->buffers[buffer].role;
        cpu_pool_each((cpu_pool *)where, r->elements[buffer], [&](uint64_t begin, uint64_t end) {
            mismatches part = {0, ~0ull, 0};
            for (uint64_t i = begin; i < end; i++) {
                double error;
                if (!element_wrong<K>(x, role, buffer, i, ((const T *)r->buffer[buffer])[i], &error))
                    continue;
                if (!part.mismatches++)
                    part.first = i;
                if (error > part.max_abs_error)
                    part.max_abs_error = error;
            }
            cpu_check_add(found, &part);
        });
        return 0;
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const kernel_entry WAY_ENTRY(name);                                                           \
    extern "C" const kernel_entry WAY_ENTRY(name) = {cpu_launch<name>, cpu_prepare<name>, cpu_check<name>,   \
                                                     nullptr};

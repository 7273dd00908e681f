/* The plain trace: every thread of every block, one by one, each access written down with its address. Meant to be
   obviously right, not fast: it is what the model's count is held against. */
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/model/access.h"
#include "kernels/device/entry.h"
#include "kernels/suite/suite.h"

/* store?, buffer, bytes, ordinal among the lane's accesses of that kind: one instruction of a warp. */
using instruction = std::tuple<bool, int, unsigned, int>;
using warp_accesses = std::map<instruction, std::vector<int64_t>>; /* the lanes' first bytes */

template <class T_> struct plain_context {
    using T = T_;
    using I = int64_t;
    const run &r;
    warp_accesses &warp;
    I bx, by, tx, ty, n, rows, columns;
    T *a, *b, *c, *d;
    mutable std::map<std::tuple<bool, int, unsigned>, int> made;

    void note(bool store, const T *p, unsigned bytes, int64_t byte) const
    {
        int buffer = (int)(uintptr_t)p - 1;
        warp[{store, buffer, bytes, made[{store, buffer, bytes}]++}].push_back(byte);
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
    T load(const T *p, I i) const
    {
        note(false, p, sizeof(T), i * (I)sizeof(T));
        return T();
    }
    T load_ldg(const T *p, I i) const { return load(p, i); }
    template <int V> wide<T, V> load_wide(const T *p, I j) const
    {
        note(false, p, V * sizeof(T), j * V * (I)sizeof(T));
        return {};
    }
    void store(T *p, I i, T) const { note(true, p, sizeof(T), i * (I)sizeof(T)); }
    template <int V> void store_wide(T *p, I j, wide<T, V>) const
    {
        note(true, p, V * sizeof(T), j * V * (I)sizeof(T));
    }
};

static inline void plain_count(const warp_accesses &warp, struct access *sums)
{
    for (const auto &[what, bytes] : warp) {
        std::set<int64_t> sectors, lines, used;
        unsigned width = std::get<2>(what);
        for (int64_t first : bytes)
            for (int64_t byte = first; byte < first + width; byte++) {
                sectors.insert(byte / 32);
                lines.insert(byte / 128);
                used.insert(byte);
            }
        access_sums &s = std::get<0>(what) ? sums->store : sums->load;
        s.requests++;
        s.sectors += sectors.size();
        s.lines += lines.size();
        s.bytes += bytes.size() * width;
        s.used += used.size();
    }
}

template <class K, class T> static void plain_trace_as(const run *r, struct access *sums)
{
    const shape &dim = r->domain.block;
    for (uint64_t by = 0; by < r->grid.y; by++)
        for (uint64_t bx = 0; bx < r->grid.x; bx++) {
            std::map<uint64_t, warp_accesses> warps;
            for (uint64_t t = 0; t < dim.x * dim.y; t++) {
                plain_context<T> c{*r,
                                   warps[t / 32],
                                   (int64_t)bx,
                                   (int64_t)by,
                                   (int64_t)(t % dim.x),
                                   (int64_t)(t / dim.x),
                                   (int64_t)r->domain.n,
                                   (int64_t)r->domain.rows,
                                   (int64_t)r->domain.columns,
                                   (T *)1,
                                   (T *)2,
                                   (T *)3,
                                   (T *)4,
                                   {}};
                K::body(c);
            }
            for (const auto &[index, warp] : warps)
                plain_count(warp, sums);
        }
}

template <class K> static void plain_trace(const run *r, struct access *sums)
{
    if (r->dtype == DTYPE_F64)
        plain_trace_as<K, double>(r, sums);
    else if (r->dtype == DTYPE_I32)
        plain_trace_as<K, int32_t>(r, sums);
    else
        plain_trace_as<K, float>(r, sums);
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry plain_entry_##name;                                                         \
    extern "C" const model_entry plain_entry_##name = plain_trace<name>;

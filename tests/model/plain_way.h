/* The plain trace: every thread of every block, one by one, each access written down with its address. Meant to be
   obviously right, not fast: it is what the model's count is held against. */
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/model/access.h"
#include "kernels/device/entry.h"
#include "kernels/suite/choose.h"

/* What is done ('l'oad, 's'tore, 'a'tomic), where (SHARED or a buffer), bytes, ordinal among the lane's accesses of that
   kind: one instruction of a warp. */
using instruction = std::tuple<char, int, unsigned, int>;
using warp_accesses = std::map<instruction, std::map<int, int64_t>>; /* by lane: its first byte */

enum { SHARED = -1 };

template <class K, class T_, int V> struct plain_context {
    using T = T_;
    using I = int64_t;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
    const run &r;
    warp_accesses &warp;
    I bx, by, tx, ty, n, rows, columns;
    int lane;
    mutable std::map<std::tuple<char, int, unsigned>, int> made;

    void note(char what, int space, int W, I i) const
    {
        unsigned bytes = (unsigned)(W * sizeof(T));
        warp[{what, space, bytes, made[{what, space, bytes}]++}][lane] = i * (I)sizeof(T);
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
    T load_ldg(int b, I i) const { return load(b, i); }
    template <int W> wide<T, W> load_wide(int b, I j) const
    {
        note('l', b, W, j * W);
        return {};
    }
    void store(int b, I i, T) const { note('s', b, 1, i); }
    template <int W> void store_wide(int b, I j, wide<T, W>) const { note('s', b, W, j * W); }
    void atomic_add(int b, I i, T) const { note('a', b, 1, i); }
    T constant(I) const { return T(); }
    T load_shared(I i) const
    {
        note('l', SHARED, 1, i);
        return T();
    }
    void store_shared(I i, T) const { note('s', SHARED, 1, i); }
    template <class F> void threads(F f) const { f(); }
    void barrier() const {}
    template <class F> void each_of_grid(I count, F f) const { strided(count, f); }
    template <class F> void strided(I count, F f) const
    {
        for (I i = global_x(); i < count; i += (I)r.grid.x * block_dim_x())
            f(i);
    }
    template <class F> void each_step(I steps, F f) const
    {
        for (I s = 0; s < steps; s++)
            f();
    }
    template <class F> void compute(I, F) const {}
    template <class F> I computed(I i, F f) const { return (I)f((uint64_t)i); }
    I index_of(T v) const { return (I)v; }
    T value_of(I i) const { return (T)i; }
};

/* Of 8 bytes: does each lane want what lane xor `distance` wants, or is that one idle? */
static inline bool plain_paired(const std::map<int, int64_t> &lanes, int distance)
{
    for (auto [lane, first] : lanes) {
        auto other = lanes.find(lane ^ distance);
        if (other != lanes.end() && other->second != first)
            return false;
    }
    return true;
}

/* Lanes of one part of a warp (a half for 8 bytes unless lanes are paired, a quarter for 16) that want different words of
   one bank wait. */
static inline uint64_t plain_conflicts(const std::map<int, int64_t> &lanes, unsigned width)
{
    uint64_t conflicts = 0;
    int parts = width == 16 ? 4 : width == 8 ? 2 : 1;
    if (width == 8 && (plain_paired(lanes, 1) || plain_paired(lanes, 2)))
        parts = 1;
    for (int part = 0; part < parts; part++) {
        std::map<int64_t, std::set<int64_t>> words_of_bank;
        size_t longest = 1;
        for (auto [lane, first] : lanes)
            for (int64_t byte = first; byte < first + width && lane / (32 / parts) == part; byte++)
                words_of_bank[byte / 4 % 32].insert(byte / 4);
        for (auto &[bank, words] : words_of_bank)
            longest = std::max(longest, words.size());
        conflicts += longest - 1;
    }
    return conflicts;
}

static inline void plain_count(const warp_accesses &warp, struct access *sums)
{
    for (const auto &[which, lanes] : warp) {
        auto [what, space, width, ordinal] = which;
        (void)ordinal;
        if (space == SHARED) {
            shared_sums &s = what == 's' ? sums->shared_store : sums->shared_load;
            s.requests++;
            s.conflicts += plain_conflicts(lanes, width);
            continue;
        }
        std::set<int64_t> sectors, lines, used;
        for (auto [lane, first] : lanes)
            for (int64_t byte = first; byte < first + width; byte++) {
                sectors.insert(byte / 32);
                lines.insert(byte / 128);
                used.insert(byte);
            }
        access_sums &s = what == 's' ? sums->store : what == 'a' ? sums->atomic : sums->load;
        s.requests++;
        s.sectors += sectors.size();
        s.lines += lines.size();
        s.bytes += lanes.size() * width;
        s.used += used.size();
    }
}

template <class K, class T, int V> static void plain_trace_as(const run *r, struct access *sums)
{
    const shape &dim = r->domain.block;
    for (uint64_t by = 0; by < r->grid.y; by++)
        for (uint64_t bx = 0; bx < r->grid.x; bx++) {
            std::map<uint64_t, warp_accesses> warps;
            for (uint64_t t = 0; t < dim.x * dim.y; t++) {
                plain_context<K, T, V> c{*r,
                                         warps[t / 32],
                                         (int64_t)bx,
                                         (int64_t)by,
                                         (int64_t)(t % dim.x),
                                         (int64_t)(t / dim.x),
                                         (int64_t)r->domain.n,
                                         (int64_t)r->domain.rows,
                                         (int64_t)r->domain.columns,
                                         (int)(t % 32),
                                         {}};
                K::body(c);
            }
            for (const auto &[index, warp] : warps)
                plain_count(warp, sums);
        }
}

template <class K> static void plain_trace(const run *r, struct access *sums)
{
    with_dtype<K>(r->dtype, [&](auto zero) {
        return with_variant<K>(r->domain, [&](auto variant) {
            plain_trace_as<K, decltype(zero), decltype(variant)::value>(r, sums);
            return 0;
        });
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const model_entry plain_entry_##name;                                                         \
    extern "C" const model_entry plain_entry_##name = plain_trace<name>;

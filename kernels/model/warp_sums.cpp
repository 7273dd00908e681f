/* Counts patterns, and leaves what blocks touch to reach.h. */
#include "kernels/model/warp_sums.h"

#include <math.h>
#include <string.h>

#include <algorithm>

warp_sums::warp_sums(const std::vector<int64_t> &buffer_bytes)
    : reach_{reach(buffer_bytes), reach(buffer_bytes)}
{
    memset(&counted_, 0, sizeof counted_); /* compared byte by byte, with its padding */
}

pattern warp_sums::pattern_of(const warp_access &access)
{
    pattern p;
    memset(&p, 0, sizeof p);
    p.shared = access.space == SPACE_SHARED;
    p.load = p.shared && access.kind == ACCESS_LOAD;
    p.bytes = access.bytes;
    p.lanes = access.lanes;
    p.blocks = (uint64_t)access.where.blocks();
    p.where = access.where;
    memcpy(p.b, access.b, sizeof p.b);
    int64_t first = *std::min_element(access.c, access.c + access.lanes);
    int64_t base = first - (first % (2 * LINE_BYTES) + 2 * LINE_BYTES) % (2 * LINE_BYTES);
    for (int i = 0; i < access.lanes; i++)
        p.at[i] = access.c[i] - base;
    memcpy(p.lane, access.lane, (size_t)access.lanes * sizeof *access.lane);
    return p;
}

static uint64_t times(uint64_t count, double weight)
{
    return weight == 1 ? count : (uint64_t)llround((double)count * weight);
}

/* Of access_sums and shared_sums, which are counts alone. */
template <class T> static void add(T &to, const T &one, double weight)
{
    uint64_t sums[sizeof(T) / sizeof(uint64_t)], more[sizeof(T) / sizeof(uint64_t)];
    static_assert(sizeof sums == sizeof to, "counts alone");
    memcpy(sums, &to, sizeof sums);
    memcpy(more, &one, sizeof more);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i] += times(more[i], weight);
    memcpy(&to, sums, sizeof sums);
}

void warp_sums_add(access_instruction &to, const access_instruction &counts, double weight)
{
    add(to.global, counts.global, weight);
    add(to.shared, counts.shared, weight);
}

/* Most instructions touch the same pattern as the one before, some lines further: such a pattern is counted
   once. */
void warp_sums::count(const warp_access &access, double weight, access_instruction &instruction)
{
    pattern p = pattern_of(access);
    if (memcmp((const char *)&p, (const char *)&counted_, sizeof p) != 0) {
        counted_ = p;
        if (p.shared)
            shared_ = pattern_shared(p);
        else
            global_ = pattern_global(p);
    }
    if (p.shared)
        add(instruction.shared, shared_, weight);
    else
        add(instruction.global, global_, weight);
}

void warp_sums::reach_add(const warp_access &access, double weight)
{
    if (access.space < SPACE_SHARED && access.kind != ACCESS_ATOMIC)
        reach_[access.kind == ACCESS_STORE].add(access.space, access.where, access.b, access.c, access.lanes,
                                                access.bytes, weight);
}

void warp_sums::end_blocks(const box &blocks, double weight)
{
    for (reach &r : reach_)
        r.end_blocks(blocks, weight);
}

void warp_sums::scale(double weight)
{
    for (reach &r : reach_)
        r.scale(weight);
}

void warp_sums::forget()
{
    for (reach &r : reach_)
        r.forget();
}

void warp_sums::reached(struct access *access)
{
    access->load_reach = reach_[0].total();
    access->store_reach = reach_[1].total();
}

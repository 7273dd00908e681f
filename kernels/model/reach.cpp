/* Regions in which the same records touch every block, and the units of each. */
#include "kernels/model/reach.h"

#include <math.h>
#include <string.h>

#include <algorithm>

/* In the order of the enumeration in reach.h. */
static const int64_t unit_bytes[] = {SECTOR_BYTES, LINE_BYTES, PAGE_BYTES, CHUNK_BYTES};

/* Limits of boxes that a grid is cut into, and of blocks of a box that are counted one by one; beyond these,
   numbers are estimated. */
static const int cuts_most = 2048;
static const int64_t each_most = 256;

reach::reach(const std::vector<int64_t> &buffer_bytes)
{
    for (int64_t bytes : buffer_bytes) {
        buffers_.emplace_back();
        buffers_.back().bytes = bytes;
    }
}

void reach::add(int which, const box &where, const int64_t b[3], const int64_t *first, int lanes,
                unsigned bytes, double weight)
{
    buffer_reach &to = buffers_[(size_t)which];
    std::array<int64_t, 9> key;
    std::copy(where.low, where.low + 3, key.begin());
    std::copy(where.high, where.high + 3, key.begin() + 3);
    std::copy(b, b + 3, key.begin() + 6);
    record &r = to.added[key];
    r.where = where;
    std::copy(b, b + 3, r.b);
    interval next = {first[0], first[0] + bytes};
    auto put = [&] {
        to.asked += (uint64_t)(next.end - next.begin);
        if (r.touched.empty() || memcmp(&r.touched.back(), &next, sizeof next) != 0)
            r.touched.push_back(next);
    };
    for (int i = 1; i < lanes; i++) {
        if (first[i] >= next.begin && first[i] <= next.end) {
            next.end = std::max(next.end, first[i] + bytes);
            continue;
        }
        put();
        next = {first[i], first[i] + bytes};
    }
    put();
    to.weight = std::max(to.weight, weight);
}

static uint64_t units(const std::vector<interval> &joined, int64_t further, int64_t unit)
{
    return intervals_units(joined.data(), joined.size(), further, unit);
}

static bool overlap(const box &l, const box &r)
{
    for (int i = 0; i < 3; i++)
        if (l.high[i] <= r.low[i] || r.high[i] <= l.low[i])
            return false;
    return true;
}

static box overlap_of(const box &l, const box &r)
{
    box both;
    for (int i = 0; i < 3; i++) {
        both.low[i] = std::max(l.low[i], r.low[i]);
        both.high[i] = std::min(l.high[i], r.high[i]);
    }
    return both;
}

/* Cuts the region at the ends of the boxes within it, until every box that overlaps a part contains it. */
void reach::divide(buffer_reach &to, const box &region, const records &from)
{
    records inside;
    for (const record *r : from)
        if (overlap(r->where, region))
            inside.push_back(r);
    for (const record *r : inside)
        for (int i = 0; i < 3; i++)
            for (int64_t at : {r->where.low[i], r->where.high[i]}) {
                if (at <= region.low[i] || at >= region.high[i])
                    continue;
                if (++to.cuts > cuts_most) {
                    exact_ = false;
                    for (const record *alone : inside)
                        count_box(to, overlap_of(alone->where, region), {alone});
                    return;
                }
                box low = region, high = region;
                low.high[i] = high.low[i] = at;
                divide(to, low, inside);
                divide(to, high, inside);
                return;
            }
    if (!inside.empty())
        count_box(to, region, inside);
}

/* Counts a region in which each record touches every block. Intervals that move alike are joined. */
void reach::count_box(buffer_reach &to, const box &region, const records &from)
{
    moved by_step;
    for (const record *r : from) {
        std::array<int64_t, 3> step;
        int64_t first = 0;
        for (int i = 0; i < 3; i++) {
            first += r->b[i] * region.low[i];
            step[(size_t)i] = region.high[i] - region.low[i] > 1 ? r->b[i] : 0;
        }
        for (const interval &i : r->touched)
            by_step[step].push_back({i.begin + first, i.end + first});
    }
    for (auto &[step, touched] : by_step) {
        intervals_join(touched);
        for (const interval &i : touched)
            to.distinct += (uint64_t)(i.end - i.begin);
        if (to.sampled)
            continue;
        for (repeated_interval &r : chunks_repeated(touched)) {
            for (size_t i = 0; i < 3; i++)
                r.by.push_back({step[i], region.high[i] - region.low[i]});
            to.touched.push_back(r);
        }
    }
    int64_t blocks = region.blocks();
    if (blocks == 1 || (by_step.size() > 1 && blocks <= each_most)) {
        count_each(to, region, by_step);
        return;
    }
    exact_ = exact_ && by_step.size() == 1;
    count_blocks(to, region, by_step);
}

/* Counts intervals that move differently as if they did not meet. */
void reach::count_blocks(buffer_reach &to, const box &region, const moved &by_step)
{
    uint64_t blocks[PAGE_BYTES];
    box from_0 = {{0, 0, 0}, {}};
    for (int i = 0; i < 3; i++)
        from_0.high[i] = region.high[i] - region.low[i];
    for (const auto &[step, touched] : by_step)
        for (size_t u = 0; u < UNITS; u++) {
            pattern_residues(from_0, step.data(), unit_bytes[u], blocks);
            for (int64_t r = 0; r < unit_bytes[u]; r++)
                if (blocks[r])
                    to.blocks[u] += (double)(blocks[r] * units(touched, r, unit_bytes[u]));
        }
}

void reach::count_each(buffer_reach &to, const box &region, const moved &by_step)
{
    int64_t length[3];
    for (int i = 0; i < 3; i++)
        length[i] = region.high[i] - region.low[i];
    for (int64_t block = 0; block < region.blocks(); block++) {
        const int64_t at[3] = {block % length[0], block / length[0] % length[1],
                               block / (length[0] * length[1])};
        std::vector<interval> together;
        for (const auto &[step, touched] : by_step) {
            int64_t further = step[0] * at[0] + step[1] * at[1] + step[2] * at[2];
            for (const interval &i : touched)
                together.push_back({i.begin + further, i.end + further});
        }
        intervals_join(together);
        for (size_t u = 0; u < UNITS; u++)
            to.blocks[u] += (double)units(together, 0, unit_bytes[u]);
    }
}

void reach::forget()
{
    for (buffer_reach &b : buffers_) {
        b.added.clear();
        b.asked = 0;
        b.weight = 1;
    }
}

void reach::end_blocks(const box &grid, double weight)
{
    for (buffer_reach &b : buffers_) {
        records all;
        double times = weight;
        for (const auto &[key, r] : b.added)
            all.push_back(&r);
        if (all.empty())
            continue;
        b.cuts = 0;
        b.distinct = 0;
        b.blocks = {};
        b.sampled = b.sampled || weight != 1 || b.weight != 1;
        divide(b, grid, all);
        /* Steps that were not traced: those before them went on to new places, or stayed. */
        if (2 * b.distinct > b.asked)
            times *= b.weight;
        for (size_t u = 0; u < UNITS; u++) {
            double whole = ceil((double)b.bytes / (double)unit_bytes[u]) * (double)grid.blocks() * weight;
            b.all[u] += times == 1 ? b.blocks[u] : std::min(whole, b.blocks[u] * times);
        }
        exact_ = exact_ && !b.sampled;
    }
    forget();
}

void reach::scale(double weight)
{
    for (buffer_reach &b : buffers_) {
        b.scaled *= weight;
        for (double &all : b.all)
            all *= weight;
    }
    exact_ = exact_ && weight == 1;
}

access_reach reach::total()
{
    access_reach sum = {};
    for (buffer_reach &b : buffers_) {
        double chunks = b.sampled ? -1 : (double)chunks_count(b.touched),
               whole = ceil((double)b.bytes / CHUNK_BYTES);
        if (chunks < 0) {
            exact_ = false;
            chunks = std::min(b.all[CHUNKS], whole);
        } else if (b.scaled != 1) {
            chunks = std::min(chunks * b.scaled, whole);
        }
        sum.block_sectors += (uint64_t)llround(b.all[SECTORS]);
        sum.block_lines += (uint64_t)llround(b.all[LINES]);
        sum.block_pages += (uint64_t)llround(b.all[PAGES]);
        sum.grid_chunks += (uint64_t)llround(chunks);
    }
    sum.exact = exact_;
    return sum;
}

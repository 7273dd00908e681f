#include "kernels/model/tracer.h"

#include <string.h>

#include <algorithm>
#include <numeric>

static thread_local tracer *listening;

/* Of a grid whose indices are not affine so many threads are traced; more blocks are sampled evenly. */
static const int64_t threads_traced = 1 << 18;

bool tracer_negative(const affine &d)
{
    return listening->negative(d);
}

tracer::tracer(const run &r, struct access *sums) : what_(r), sums_(sums) {}

affine tracer::block(int axis) const
{
    if (concrete_)
        return affine(box_.low[axis]);
    return affine(0, axis == 0, axis == 1, axis == 2);
}

/* The outcome at the box's first block decides; then each axis in turn is cut off where the outcome would change,
   with the axes before it at their worst. What remains contains the first block. */
bool tracer::negative(const affine &d)
{
    int64_t value = d.c;
    for (int i = 0; i < 3; i++)
        value += d.b[i] * box_.low[i];
    bool outcome = value < 0;
    int64_t worst = outcome ? value : -1 - value; /* stays below 0 */
    for (int i = 0; i < 3; i++) {
        int64_t step = outcome ? d.b[i] : -d.b[i];
        if (step <= 0)
            continue;
        int64_t steps = (-1 - worst) / step;
        box_.high[i] = std::min(box_.high[i], box_.low[i] + steps + 1);
        worst += step * (box_.high[i] - 1 - box_.low[i]);
    }
    return outcome;
}

void tracer::access(bool store, int buffer, unsigned bytes, const affine &byte_index)
{
    int width = bytes <= 4 ? 0 : bytes <= 8 ? 1 : 2;
    int kind = (store * KERNEL_BUFFERS + buffer) * 3 + width;
    size_t ordinal = ordinal_[kind]++;
    if (ordinal == site_of_[kind].size()) {
        site_of_[kind].push_back((int)sites_.size());
        sites_.emplace_back();
        site &s = sites_.back();
        s.store = store;
        s.uniform = true;
        s.bytes = bytes;
        s.lanes = 0;
        memcpy(s.b, byte_index.b, sizeof s.b);
    }
    site &s = sites_[(size_t)site_of_[kind][ordinal]];
    s.uniform = s.uniform && memcmp(s.b, byte_index.b, sizeof s.b) == 0;
    s.c[s.lanes++] = byte_index.c;
}

/* How many distinct aligned pieces of `unit` bytes the lanes touch when the first byte lies `residue` into one.
   `sorted` holds the lanes' distances from the first byte. */
static unsigned pieces(const int64_t *sorted, int lanes, unsigned bytes, int64_t residue, int64_t unit)
{
    unsigned count = 0;
    int64_t last = -1;
    for (int i = 0; i < lanes; i++) {
        int64_t begin = (sorted[i] + residue) / unit, end = (sorted[i] + residue + bytes - 1) / unit;
        if (begin <= last)
            begin = last + 1;
        if (end >= begin) {
            count += (unsigned)(end - begin + 1);
            last = end;
        }
    }
    return count;
}

/* How many blocks of the box lie how far into a line: counts[r] for the sum of b[i] * block[i], modulo the line. */
static void residues(const box &box, const int64_t b[3], uint64_t counts[LINE_BYTES])
{
    uint64_t before[LINE_BYTES];
    memset(counts, 0, LINE_BYTES * sizeof *counts);
    counts[0] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t length = (uint64_t)(box.high[i] - box.low[i]);
        int64_t step = (b[i] % LINE_BYTES + LINE_BYTES) % LINE_BYTES;
        uint64_t period = LINE_BYTES / (uint64_t)std::gcd(step, (int64_t)LINE_BYTES);
        memcpy(before, counts, sizeof before);
        memset(counts, 0, LINE_BYTES * sizeof *counts);
        for (uint64_t j = 0; j < std::min(period, length); j++) {
            uint64_t times = length / period + (j < length % period);
            uint64_t at = (uint64_t)step * ((uint64_t)box.low[i] % LINE_BYTES + j) % LINE_BYTES;
            for (uint64_t r = 0; r < LINE_BYTES; r++)
                if (before[r])
                    counts[(r + at) % LINE_BYTES] += before[r] * times;
        }
    }
}

void tracer::count_site(const site &s)
{
    if (!s.uniform)
        throw not_affine(); /* lanes that move apart from block to block */
    struct access_sums &sums = s.store ? sums_->store : sums_->load;
    int64_t sorted[WARP_LANES], first = *std::min_element(s.c, s.c + s.lanes);
    for (int i = 0; i < s.lanes; i++)
        sorted[i] = s.c[i] - first;
    std::sort(sorted, sorted + s.lanes);
    uint64_t counts[LINE_BYTES], blocks = 1;
    residues(box_, s.b, counts);
    for (int i = 0; i < 3; i++)
        blocks *= (uint64_t)(box_.high[i] - box_.low[i]);
    sums.requests += blocks;
    sums.bytes += blocks * (uint64_t)s.lanes * s.bytes;
    sums.used += blocks * pieces(sorted, s.lanes, s.bytes, 0, 1);
    for (int64_t r = 0; r < LINE_BYTES; r++) {
        if (!counts[r])
            continue;
        int64_t residue = ((first + r) % LINE_BYTES + LINE_BYTES) % LINE_BYTES;
        sums.sectors += counts[r] * pieces(sorted, s.lanes, s.bytes, residue, SECTOR_BYTES);
        sums.lines += counts[r] * pieces(sorted, s.lanes, s.bytes, residue, LINE_BYTES);
    }
}

/* One box, as far as all lanes of the warp agree on it; the rest waits. */
void tracer::trace_box(int warp, const box &wanted)
{
    const shape &dim = what_.domain.block;
    int64_t threads = (int64_t)(dim.x * dim.y * dim.z), begin = (int64_t)warp * WARP_LANES;
    box_ = wanted;
    sites_.clear();
    for (auto &kind : site_of_)
        kind.clear();
    for (int64_t t = begin; t < std::min(begin + WARP_LANES, threads); t++) {
        lane_ = {t % (int64_t)dim.x, t / (int64_t)dim.x % (int64_t)dim.y, t / (int64_t)(dim.x * dim.y)};
        memset(ordinal_, 0, sizeof ordinal_);
        body_(*this);
    }
    box rest = wanted;
    for (int i = 0; i < 3; i++) { /* what lies beyond the box in this axis, whole in the axes after it */
        if (box_.high[i] < wanted.high[i]) {
            rest.low[i] = box_.high[i];
            waiting_.push_back(rest);
        }
        rest.low[i] = box_.low[i];
        rest.high[i] = box_.high[i];
    }
}

void tracer::trace_warp(int warp, const box &all)
{
    waiting_.assign(1, all);
    while (!waiting_.empty()) {
        box next = waiting_.back();
        waiting_.pop_back();
        trace_box(warp, next);
        sums_->boxes++;
        for (const site &s : sites_)
            count_site(s);
    }
}

void tracer::trace(void (*body)(tracer &))
{
    const shape &dim = what_.domain.block, &grid = what_.grid;
    int warps = (int)((dim.x * dim.y * dim.z + WARP_LANES - 1) / WARP_LANES);
    tracer *before = listening;
    body_ = body;
    listening = this;
    *sums_ = {};
    sums_->exact = true;
    try {
        for (int warp = 0; warp < warps; warp++)
            trace_warp(warp, {{0, 0, 0}, {(int64_t)grid.x, (int64_t)grid.y, (int64_t)grid.z}});
    } catch (const not_affine &) {
        trace_block_by_block();
    }
    listening = before;
}

void tracer::trace_block_by_block()
{
    const shape &dim = what_.domain.block, &grid = what_.grid;
    int64_t threads = (int64_t)(dim.x * dim.y * dim.z);
    int64_t blocks = (int64_t)(grid.x * grid.y * grid.z),
            most = std::max<int64_t>(1, threads_traced / threads);
    int64_t traced = std::min(blocks, most);
    struct access sampled = {};
    struct access *sums = sums_;
    sums_ = &sampled;
    concrete_ = true;
    for (int64_t i = 0; i < traced; i++) {
        int64_t b = (int64_t)((__int128)i * blocks / traced);
        int64_t at[3] = {b % (int64_t)grid.x, b / (int64_t)grid.x % (int64_t)grid.y,
                         b / (int64_t)(grid.x * grid.y)};
        for (int warp = 0; warp < (threads + WARP_LANES - 1) / WARP_LANES; warp++)
            trace_warp(warp, {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}});
    }
    concrete_ = false;
    sums_ = sums;
    auto scaled = [&](uint64_t count) {
        return (uint64_t)((double)count * (double)blocks / (double)traced + 0.5);
    };
    auto scale = [&](const access_sums &s) {
        return traced == blocks
                   ? s
                   : access_sums{scaled(s.requests), scaled(s.sectors), scaled(s.lines), scaled(s.bytes), scaled(s.used)};
    };
    *sums_ = {scale(sampled.load), scale(sampled.store), false, sampled.boxes};
}

#include "kernels/model/tracer.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

static thread_local tracer *current;

/* Of a grid whose indices are not affine about so many accesses are traced: blocks that are spread evenly. */
static const uint64_t accesses_traced = 1 << 18;

bool tracer_negative(const affine &d)
{
    return current->negative(d);
}

tracer::tracer(const run &r, struct access *sums) : what_(r), sums_(sums)
{
    memset(&counted_, 0, sizeof counted_);
}

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
        int64_t span = box_.high[i] - 1 - box_.low[i];
        if (step <= 0 || span == 0)
            continue;
        if (worst + step * span >= 0) {
            span = (-1 - worst) / step;
            box_.high[i] = box_.low[i] + span + 1;
        }
        worst += step * span;
    }
    return outcome;
}

static int width_of(unsigned bytes)
{
    int width = 0;
    while (bytes >>= 1)
        width++;
    return width;
}

void tracer::access(access_kind what, int space, unsigned bytes, const affine &byte_index)
{
    if (virtual_ && !inside_)
        return;
    int kind = (what * SPACES + space) * WIDTHS + width_of(bytes);
    size_t ordinal = ordinal_[kind]++;
    noted_++;
    if (ordinal == site_of_[kind].size()) {
        site_of_[kind].push_back((int)sites_.size());
        sites_.emplace_back();
        site &s = sites_.back();
        s.kind = what;
        s.space = space;
        s.uniform = true;
        s.bytes = bytes;
        s.weight = weight_;
        s.lanes = 0;
        memcpy(s.b, byte_index.b, sizeof s.b);
    }
    site &s = sites_[(size_t)site_of_[kind][ordinal]];
    s.uniform = s.uniform && memcmp(s.b, byte_index.b, sizeof s.b) == 0;
    s.lane[s.lanes] = lane_of_warp_;
    s.c[s.lanes++] = byte_index.c;
}

static uint64_t times(uint64_t count, double weight)
{
    return weight == 1 ? count : (uint64_t)((double)count * weight + 0.5);
}

static void add(access_sums &to, const access_sums &one, double weight)
{
    to.requests += times(one.requests, weight);
    to.sectors += times(one.sectors, weight);
    to.lines += times(one.lines, weight);
    to.bytes += times(one.bytes, weight);
    to.used += times(one.used, weight);
}

static void add(shared_sums &to, const shared_sums &one, double weight)
{
    to.requests += times(one.requests, weight);
    to.conflicts += times(one.conflicts, weight);
    to.conflicts_wide += times(one.conflicts_wide, weight);
}

static void add(struct access &to, const struct access &one, double weight)
{
    add(to.load, one.load, weight);
    add(to.store, one.store, weight);
    add(to.atomic, one.atomic, weight);
    add(to.shared_load, one.shared_load, weight);
    add(to.shared_store, one.shared_store, weight);
    to.boxes += one.boxes;
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

static const int banks = 32, bank_bytes = 4;

/* The longest queue at a bank, of the words that lanes of `part` touch: rows of so many bytes are fetched whole. */
static int fetches(const int64_t *bytes, const int *lane, int lanes, unsigned each, int part, int parts,
                   int64_t row_bytes)
{
    std::array<std::pair<int64_t, int64_t>, WARP_LANES * 4> words; /* bank, row */
    size_t count = 0;
    for (int i = 0; i < lanes; i++) {
        if (lane[i] * parts / WARP_LANES != part)
            continue;
        for (int64_t at = bytes[i] / bank_bytes; at <= (bytes[i] + each - 1) / bank_bytes; at++)
            words[count++] = {at % banks, at * bank_bytes / row_bytes};
    }
    std::sort(words.begin(), words.begin() + count);
    int longest = 0, queue = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && words[i] == words[i - 1])
            continue;
        queue = i && words[i].first == words[i - 1].first ? queue + 1 : 1;
        longest = std::max(longest, queue);
    }
    return longest;
}

/* Does every lane want what its neighbour at that distance wants, where there is one? */
static bool paired(const int64_t *bytes, const int *lane, int lanes, int distance)
{
    for (int i = 0; i < lanes; i++)
        for (int j = i + 1; j < lanes; j++)
            if ((lane[i] ^ distance) == lane[j] && bytes[i] != bytes[j])
                return false;
    return true;
}

shared_sums tracer::shared_of(const pattern &p) const
{
    int parts = p.bytes <= 4 ? 1 : (int)p.bytes / 4, conflicts = 0;
    if (p.bytes == 8 && (paired(p.at, p.lane, p.lanes, 1) || paired(p.at, p.lane, p.lanes, 2)))
        parts = 1;
    for (int part = 0; part < parts; part++)
        conflicts +=
            std::max(0, fetches(p.at, p.lane, p.lanes, p.bytes, part, parts, banks * bank_bytes) - 1);
    int wide = fetches(p.at, p.lane, p.lanes, p.bytes, 0, 1, 2 * banks * bank_bytes) - 1;
    return {p.blocks, p.blocks * (uint64_t)conflicts, p.blocks * (uint64_t)wide};
}

access_sums tracer::global_of(const pattern &p) const
{
    int64_t sorted[WARP_LANES];
    uint64_t counts[LINE_BYTES];
    access_sums sums = {};
    int64_t first = *std::min_element(p.at, p.at + p.lanes);
    for (int i = 0; i < p.lanes; i++)
        sorted[i] = p.at[i] - first;
    std::sort(sorted, sorted + p.lanes);
    residues(p.where, p.b, counts);
    sums.requests = p.blocks;
    sums.bytes = p.blocks * (uint64_t)p.lanes * p.bytes;
    sums.used = p.blocks * pieces(sorted, p.lanes, p.bytes, 0, 1);
    for (int64_t r = 0; r < LINE_BYTES; r++) {
        if (!counts[r])
            continue;
        int64_t residue = (first + r) % LINE_BYTES;
        sums.sectors += counts[r] * pieces(sorted, p.lanes, p.bytes, residue, SECTOR_BYTES);
        sums.lines += counts[r] * pieces(sorted, p.lanes, p.bytes, residue, LINE_BYTES);
    }
    return sums;
}

/* Most instructions touch what the one before did, some lines further: those are counted once. */
void tracer::count_site(const site &s)
{
    if (!s.uniform || (s.space == SPACE_SHARED && (s.b[0] || s.b[1] || s.b[2])))
        throw not_affine(); /* lanes that move apart from block to block; shared memory that knows its block */
    pattern p;
    memset(&p, 0, sizeof p);
    p.shared = s.space == SPACE_SHARED;
    p.bytes = s.bytes;
    p.lanes = s.lanes;
    p.blocks = 1;
    p.where = box_;
    for (int i = 0; i < 3; i++)
        p.blocks *= (uint64_t)(box_.high[i] - box_.low[i]);
    memcpy(p.b, s.b, sizeof p.b);
    int64_t first = *std::min_element(s.c, s.c + s.lanes);
    int64_t base = first - (first % (2 * LINE_BYTES) + 2 * LINE_BYTES) % (2 * LINE_BYTES);
    for (int i = 0; i < s.lanes; i++)
        p.at[i] = s.c[i] - base;
    memcpy(p.lane, s.lane, (size_t)s.lanes * sizeof *s.lane);
    if (memcmp(&p, &counted_, sizeof p) != 0) {
        counted_ = p;
        if (p.shared)
            shared_ = shared_of(p);
        else
            global_ = global_of(p);
    }
    if (p.shared)
        add(s.kind == ACCESS_STORE ? sums_->shared_store : sums_->shared_load, shared_, s.weight);
    else
        add(s.kind == ACCESS_STORE    ? sums_->store
            : s.kind == ACCESS_ATOMIC ? sums_->atomic
                                      : sums_->load,
            global_, s.weight);
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
        lane_of_warp_ = (int)(t - begin);
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

/* Adds one grid to the sums: whole boxes where everything is affine, else block by block. */
void tracer::trace_grid()
{
    const shape &dim = what_.domain.block;
    int warps = (int)((dim.x * dim.y * dim.z + WARP_LANES - 1) / WARP_LANES);
    struct access whole = {}, *sums = sums_;
    sums_ = &whole;
    try {
        for (int warp = 0; warp < warps; warp++)
            trace_warp(warp, {{0, 0, 0}, {(int64_t)grid_.x, (int64_t)grid_.y, (int64_t)grid_.z}});
        sums_ = sums;
        add(*sums_, whole, 1);
    } catch (const not_affine &) {
        sums_ = sums;
        inside_ = false;
        weight_ = 1;
        trace_block_by_block();
    }
}

void tracer::trace(void (*body)(tracer &))
{
    tracer *before = current;
    body_ = body;
    current = this;
    *sums_ = {};
    sums_->exact = true;
    grid_ = what_.grid;
    trace_grid();
    if (what_.kernel->grid_stride) {
        uint64_t width = what_.domain.block.x, need = what_.kernel->cover(&what_.domain).x;
        virtual_ = true;
        grid_.x = (need + width - 1) / width;
        trace_grid();
        virtual_ = false;
    }
    if (sums_->atomic.requests)
        sums_->exact = false;
    current = before;
}

void tracer::trace_block(int64_t block)
{
    const shape &dim = what_.domain.block;
    int64_t x = (int64_t)grid_.x, y = (int64_t)grid_.y, at[3] = {block % x, block / x % y, block / (x * y)};
    int warps = (int)((dim.x * dim.y * dim.z + WARP_LANES - 1) / WARP_LANES);
    for (int warp = 0; warp < warps; warp++)
        trace_warp(warp, {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}});
}

/* The first block says how many accesses one takes; then as many as there is time for, spread evenly. */
void tracer::trace_block_by_block()
{
    int64_t blocks = (int64_t)(grid_.x * grid_.y * grid_.z);
    struct access sampled = {}, *sums = sums_;
    sums_ = &sampled;
    concrete_ = true;
    noted_ = 0;
    trace_block(0);
    int64_t traced =
        std::min<int64_t>(blocks, 1 + (int64_t)(accesses_traced / std::max<uint64_t>(noted_, 1)));
    for (int64_t i = 1; i < traced; i++)
        trace_block((int64_t)((__int128)i * blocks / traced));
    concrete_ = false;
    sums_ = sums;
    add(*sums_, sampled, (double)blocks / (double)traced);
    sums_->exact = false;
}

/* Unions of repeated intervals, by rows of chunks and rectangles, or one by one. */
#include "kernels/model/chunks.h"

#include <stddef.h>

#include <algorithm>
#include <numeric>

/* Limits: of intervals counted one by one when there is no closed form, of intervals merged pair by pair, and
   of rectangles in one union. */
static const int64_t listed_most = 1 << 16, short_most = 32;
static const size_t merged_most = 128, rectangles_most = 1024;
/* The largest row of chunks, bytes, before the last step is known. */
static const int64_t row_most = INT64_C(1) << 30;

static bool moved_by(const interval &from, const interval &to, int64_t step)
{
    return to.begin - from.begin == step && to.end - from.end == step;
}

/* The number of intervals after which the list repeats, each time moved by the same step; 0: it does not
   repeat. */
static size_t period_of(const std::vector<interval> &list)
{
    const size_t longest = 16;
    for (size_t period = 1; period <= longest && 2 * period <= list.size(); period++) {
        size_t i = 0;
        while (i + period < list.size() &&
               moved_by(list[i], list[i + period], list[period].begin - list[0].begin))
            i++;
        if (i + period == list.size())
            return period;
    }
    return 0;
}

std::vector<repeated_interval> chunks_repeated(const std::vector<interval> &joined)
{
    std::vector<repeated_interval> found;
    size_t period = period_of(joined), i = 0;
    for (size_t j = 0; j < period; j++)
        found.push_back({joined[j],
                         {{joined[period].begin - joined[0].begin,
                           (int64_t)((joined.size() - j + period - 1) / period)}}});
    while (!period && i < joined.size()) {
        size_t end = i + 1;
        int64_t step = end < joined.size() ? joined[end].begin - joined[i].begin : 0;
        while (end < joined.size() && moved_by(joined[end - 1], joined[end], step))
            end++;
        found.push_back({joined[i], {{step, (int64_t)(end - i)}}});
        i = end;
    }
    return found;
}

/* Describes the same chunks by fewer repetitions, with ascending steps. Where less than a chunk lies
   between two repetitions no chunk is left out, so they are one long interval. A row that is repeated
   within itself or directly behind itself, at one of its own places, is a longer row. */
static void simplify(repeated_interval &r)
{
    for (repetition &by : r.by)
        if (by.step < 0) {
            r.first.begin += by.step * (by.count - 1);
            r.first.end += by.step * (by.count - 1);
            by.step = -by.step;
        }
    auto none = [](const repetition &by) { return by.count == 1 || by.step == 0; };
    r.by.erase(std::remove_if(r.by.begin(), r.by.end(), none), r.by.end());
    std::sort(r.by.begin(), r.by.end(),
              [](const repetition &left, const repetition &right) { return left.step < right.step; });
    while (!r.by.empty() && r.by[0].step < r.first.end - r.first.begin + CHUNK_BYTES) {
        r.first.end += r.by[0].step * (r.by[0].count - 1);
        r.by.erase(r.by.begin());
    }
    for (size_t i = 1; i < r.by.size();) {
        repetition &row = r.by[i - 1], &outer = r.by[i];
        if (outer.step % row.step == 0 && outer.step / row.step <= row.count) {
            row.count += outer.step / row.step * (outer.count - 1);
            r.by.erase(r.by.begin() + (ptrdiff_t)i);
        } else {
            i++;
        }
    }
}

static bool same(const repetition &l, const repetition &r)
{
    return l.step == r.step && l.count == r.count;
}

/* The number of repetitions of r in row `k` when r is repeated as l is; else 0. */
static int64_t times_in_row(const repeated_interval &l, const repeated_interval &r, size_t k)
{
    bool there = l.by.size() == r.by.size();
    auto at = r.by.begin() + (ptrdiff_t)k;
    if ((there && at->step != l.by[k].step) || (!there && l.by.size() != r.by.size() + 1) ||
        !std::equal(r.by.begin(), at, l.by.begin(), same) ||
        !std::equal(there ? at + 1 : at, r.by.end(), l.by.begin() + (ptrdiff_t)k + 1, same))
        return 0;
    return there ? at->count : 1;
}

/* Merges `r` into `l` where the two are one: side by side at each repetition, or one continuing the other's
   row. False: they are not. */
static bool merge(repeated_interval &l, const repeated_interval &r)
{
    int64_t further = r.first.begin - l.first.begin;
    if (l.by.size() == r.by.size() && std::equal(l.by.begin(), l.by.end(), r.by.begin(), same) &&
        r.first.begin < l.first.end + CHUNK_BYTES && l.first.begin < r.first.end + CHUNK_BYTES) {
        l.first = {std::min(l.first.begin, r.first.begin), std::max(l.first.end, r.first.end)};
        return true;
    }
    if (l.first.end - l.first.begin != r.first.end - r.first.begin)
        return false;
    for (size_t k = 0; k < l.by.size(); k++) {
        repetition &row = l.by[k];
        int64_t times = times_in_row(l, r, k), places = further / row.step;
        if (times && further % row.step == 0 && places <= row.count && -places <= times) {
            int64_t low = std::min<int64_t>(0, places), high = std::max(row.count, places + times);
            l.first.begin += low * row.step;
            l.first.end += low * row.step;
            row.count = high - low;
            return true;
        }
    }
    return false;
}

static void merge_all(std::vector<repeated_interval> &all)
{
    for (size_t i = 0; i < all.size() && all.size() <= merged_most;) {
        size_t j = 0;
        while (j < all.size() && (j == i || !merge(all[i], all[j])))
            j++;
        if (j == all.size()) {
            i++;
            continue;
        }
        simplify(all[i]);
        all.erase(all.begin() + (ptrdiff_t)j);
        i = 0;
    }
}

/* Chunks low to high of rows from to to, with both ends excluded. */
struct rectangle {
    int64_t low, high, from, to;
};

/* Adds the chunks first to end, repeated in `rows` rows of `width` chunks, and no longer than a row. */
static void add_rectangle(std::vector<rectangle> &to, int64_t first, int64_t end, int64_t rows, int64_t width)
{
    int64_t row = first / width, low = first % width, high = low + end - first;
    to.push_back({low, std::min(high, width), row, row + rows});
    if (high > width)
        to.push_back({0, high - width, row + 1, row + 1 + rows});
}

static int64_t area(std::vector<rectangle> &rectangles)
{
    std::vector<int64_t> edges;
    int64_t sum = 0;
    for (const rectangle &r : rectangles) {
        edges.push_back(r.low);
        edges.push_back(r.high);
    }
    std::sort(edges.begin(), edges.end());
    std::sort(rectangles.begin(), rectangles.end(),
              [](const rectangle &l, const rectangle &r) { return l.from < r.from; });
    for (size_t i = 1; i < edges.size(); i++) {
        int64_t rows = 0, last = INT64_MIN;
        for (const rectangle &r : rectangles)
            if (edges[i] > edges[i - 1] && r.low <= edges[i - 1] && edges[i] <= r.high && r.to > last) {
                rows += r.to - std::max(last, r.from);
                last = r.to;
            }
        sum += rows * (edges[i] - edges[i - 1]);
    }
    return sum;
}

static int64_t times_of(const repeated_interval &r)
{
    int64_t times = 1;
    for (const repetition &by : r.by)
        times = std::min(times, listed_most + 1) * std::min(by.count, listed_most + 1);
    return times;
}

/* Lists the short repetitions, so that of several directions only the longest remains. False: that would
   be too many. */
static bool flatten(std::vector<repeated_interval> &all)
{
    for (size_t i = 0; i < all.size();) {
        repeated_interval one = all[i];
        auto fewest =
            std::min_element(one.by.begin(), one.by.end(),
                             [](const repetition &l, const repetition &r) { return l.count < r.count; });
        if (one.by.empty() || (one.by.size() == 1 && fewest->count > short_most)) {
            i++;
            continue;
        }
        const repetition by = *fewest;
        if ((int64_t)all.size() + by.count > (int64_t)rectangles_most)
            return false;
        one.by.erase(fewest);
        all[i] = one;
        for (int64_t j = 1; j < by.count; j++) {
            all.push_back(one);
            all.back().first = {one.first.begin + j * by.step, one.first.end + j * by.step};
        }
    }
    return true;
}

/* Adds an interval as the rectangles of its first row, of whole rows, and of its last row. */
static void add_rows(std::vector<rectangle> &to, int64_t first, int64_t end, int64_t width)
{
    int64_t middle = std::min(end, (first + width - 1) / width * width), last = end / width * width;
    if (first < middle)
        to.push_back({first % width, first % width + middle - first, first / width, first / width + 1});
    if (middle < last)
        to.push_back({0, width, middle / width, last / width});
    if (std::max(middle, last) < end)
        to.push_back({0, end - std::max(middle, last), last / width, last / width + 1});
}

/* Lays all chunks out in rows as long as the common multiple of a chunk and of every step: there an interval
   repeated at equal distances is a few rectangles. -1: not possible. */
static int64_t count_in_rows(std::vector<repeated_interval> all)
{
    int64_t row = CHUNK_BYTES;
    size_t parts = 0;
    std::vector<rectangle> rectangles;
    if (!flatten(all))
        return -1;
    for (const repeated_interval &r : all) {
        int64_t step = r.by.empty() ? row : r.by[0].step;
        if (row > row_most || __builtin_mul_overflow(row / std::gcd(row, step), step, &row))
            return -1;
    }
    for (const repeated_interval &r : all)
        parts += r.by.empty() ? 3 : (size_t)std::min((int64_t)rectangles_most, row / r.by[0].step);
    if (parts > rectangles_most)
        return -1;
    int64_t width = row / CHUNK_BYTES;
    for (const repeated_interval &r : all) {
        int64_t first = r.first.begin / CHUNK_BYTES, end = (r.first.end - 1) / CHUNK_BYTES + 1;
        if (r.by.empty()) {
            add_rows(rectangles, first, end, width);
            continue;
        }
        int64_t each = row / r.by[0].step, count = r.by[0].count;
        for (int64_t i = 0; i < std::min(each, count); i++) {
            int64_t begin = r.first.begin + i * r.by[0].step, past = r.first.end + i * r.by[0].step;
            add_rectangle(rectangles, begin / CHUNK_BYTES, (past - 1) / CHUNK_BYTES + 1,
                          (count - i + each - 1) / each, width);
        }
    }
    return area(rectangles);
}

/* Counts every interval separately. */
static int64_t count_one_by_one(const std::vector<repeated_interval> &all)
{
    std::vector<interval> chunks;
    int64_t sum = 0;
    for (const repeated_interval &r : all) {
        size_t before = chunks.size();
        chunks.push_back(r.first);
        for (const repetition &by : r.by) {
            size_t end = chunks.size();
            for (int64_t i = 1; i < by.count; i++)
                for (size_t j = before; j < end; j++)
                    chunks.push_back({chunks[j].begin + i * by.step, chunks[j].end + i * by.step});
        }
    }
    for (interval &i : chunks)
        i = {i.begin / CHUNK_BYTES, (i.end - 1) / CHUNK_BYTES + 1};
    intervals_join(chunks);
    for (const interval &i : chunks)
        sum += i.end - i.begin;
    return sum;
}

/* Orders by position, end and repetitions, so that equal ones stand side by side. */
static bool is_less(const repeated_interval &l, const repeated_interval &r)
{
    auto less = [](const repetition &a, const repetition &b) {
        return a.step != b.step ? a.step < b.step : a.count < b.count;
    };
    return l.first.begin != r.first.begin ? l.first.begin < r.first.begin
           : l.first.end != r.first.end
               ? l.first.end < r.first.end
               : std::lexicographical_compare(l.by.begin(), l.by.end(), r.by.begin(), r.by.end(), less);
}

/* Blocks that are counted one by one may touch the same: each set is kept once. */
static void keep_distinct(std::vector<repeated_interval> &all)
{
    std::sort(all.begin(), all.end(), is_less);
    auto equal = [](const repeated_interval &l, const repeated_interval &r) {
        return !is_less(l, r) && !is_less(r, l);
    };
    all.erase(std::unique(all.begin(), all.end(), equal), all.end());
}

int64_t chunks_count(std::vector<repeated_interval> &all)
{
    int64_t listed = 0;
    bool flat = true;
    for (repeated_interval &r : all)
        simplify(r);
    keep_distinct(all);
    merge_all(all);
    for (const repeated_interval &r : all) {
        listed = std::min(listed_most + 1, listed + times_of(r));
        flat = flat && r.by.empty();
    }
    int64_t count = flat ? -1 : count_in_rows(all);
    return count >= 0 ? count : flat || listed <= listed_most ? count_one_by_one(all) : -1;
}

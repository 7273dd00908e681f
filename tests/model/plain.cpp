#include "tests/model/plain.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/model/plain_listing.h"

plain_listing *plain_listed;
plain_reach *plain_reached;

struct plain_notes {
    warp_accesses &warp;
    int lane;
    bool listed;
    std::vector<std::pair<std::tuple<char, int, unsigned>, int>> made;

    int next(const std::tuple<char, int, unsigned> &kind)
    {
        for (auto &[of, count] : made)
            if (of == kind)
                return count++;
        made.push_back({kind, 1});
        return 0;
    }
};

/* Each once, from the lowest on. */
static void sort_out(std::vector<int64_t> &numbers)
{
    if (!std::is_sorted(numbers.begin(), numbers.end())) /* most warps go upwards */
        std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void plain_thread::note_bytes(char what, int space, unsigned bytes, int64_t first) const
{
    notes.warp[{what, space, bytes, notes.next({what, space, bytes})}].set(notes.lane, first);
    if (notes.listed)
        plain_listed->lanes[notes.lane].push_back({what, space, bytes, first});
    if (!plain_reached || space < 0 || what == 'a')
        return;
    bool in_loop = virtual_block >= 0, store = what == 's';
    for (int64_t byte : {first, first + bytes - 1}) { /* an access is shorter than any of the units */
        for (int64_t unit : {32, 128, 1024})
            plain_reached
                ->of_blocks[store]
                           [{in_loop, in_loop ? virtual_block : by * (int64_t)r.grid.x + bx, space, unit}]
                .insert(byte / unit);
        plain_reached->chunks[store].insert({space, byte / 64});
    }
}

void plain_thread::note_steps(int64_t steps) const
{
    if (plain_reached)
        plain_reached->steps += (uint64_t)steps;
}

access_reach plain_reach::sums(bool store) const
{
    access_reach sum = {0, 0, 0, chunks[store].size(), true};
    for (const auto &[which, units] : of_blocks[store]) {
        int64_t unit = std::get<3>(which);
        (unit == 32 ? sum.block_sectors : unit == 128 ? sum.block_lines : sum.block_pages) += units.size();
    }
    return sum;
}

/* Of 8 or 16 bytes: does each lane want what lane xor `distance` wants, or is that one idle? */
static bool plain_paired(const plain_lanes &lanes, int distance)
{
    for (int lane = 0; lane < 32; lane++)
        if (lanes.has(lane) && lanes.has(lane ^ distance) &&
            lanes.first[lane] != lanes.first[lane ^ distance])
            return false;
    return true;
}

/* Lanes of one part of a warp (a half for 8 bytes, a quarter for 16; twice as much where paired lanes load) that want
   different words of one bank wait. */
uint64_t plain_conflicts(const plain_lanes &lanes, unsigned width, bool load, uint64_t *wavefronts)
{
    uint64_t conflicts = 0;
    int parts = width == 16 ? 4 : width == 8 ? 2 : 1;
    if (load && width >= 8 && (plain_paired(lanes, 1) || plain_paired(lanes, 2)))
        parts /= 2;
    for (int part = 0; part < parts; part++) {
        std::vector<int64_t> words;
        uint64_t of_bank[32] = {}, longest = 1;
        for (int lane = 0; lane < 32; lane++)
            for (int64_t byte = lanes.first[lane];
                 lanes.has(lane) && lane / (32 / parts) == part && byte < lanes.first[lane] + width; byte++)
                words.push_back(byte / 4);
        sort_out(words);
        for (int64_t word : words)
            longest = std::max(longest, ++of_bank[word % 32]);
        conflicts += longest - 1;
        *wavefronts += words.empty() ? 0 : longest;
    }
    return conflicts;
}

/* Of 16 banks, which serve one half of a warp at a time, and of it one word a lane. */
static void plain_halves_at_banks(const plain_lanes &lanes, unsigned width, shared_sums &sums)
{
    for (unsigned part = 0; part < 2 * ((width + 3) / 4); part++) {
        std::set<int64_t> of_bank[16];
        uint64_t longest = 0;
        const int half = (int)(part % 2);
        for (int lane = 16 * half; lane < 16 * half + 16; lane++)
            for (unsigned byte = part / 2 * 4; lanes.has(lane) && byte < std::min(width, part / 2 * 4 + 4);
                 byte++)
                of_bank[(lanes.first[lane] + byte) / 4 % 16].insert((lanes.first[lane] + byte) / 4);
        for (const auto &words : of_bank)
            longest = std::max(longest, (uint64_t)words.size());
        sums.half_wavefronts += longest;
        sums.half_conflicts += longest ? longest - 1 : 0;
    }
}

void plain_add(access_sums &to, const access_sums &one)
{
    to.requests += one.requests;
    to.sectors += one.sectors;
    to.lines += one.lines;
    for (int i = 0; i < 3; i++)
        to.segments[i] += one.segments[i];
    to.half_requests += one.half_requests;
    to.half_used += one.half_used;
    for (int i = 0; i < 3; i++)
        to.half_segments[i] += one.half_segments[i];
    to.part_sectors += one.part_sectors;
    for (int i = 0; i < 3; i++)
        to.part_segments[i] += one.part_segments[i];
    to.part_used += one.part_used;
    to.bytes += one.bytes;
    to.used += one.used;
}

/* As the CUDA C Programming Guide 4.2 puts it for compute capability 1.2: the segment of the lowest active lane,
   all lanes with an address in it, the smallest part that holds them; and again for the lanes that are left. */
static void plain_half(const plain_lanes &lanes, unsigned width, int half, access_sums &sums)
{
    std::vector<int64_t> used;
    bool waits[32] = {}, any = false;
    for (int lane = 16 * half; lane < 16 * half + 16; lane++) {
        waits[lane] = lanes.has(lane);
        any = any || lanes.has(lane);
        for (int64_t byte = lanes.first[lane]; lanes.has(lane) && byte < lanes.first[lane] + width; byte++)
            used.push_back(byte);
    }
    sort_out(used);
    sums.half_used += used.size();
    sums.half_requests += any;
    for (int lane = 16 * half; lane < 16 * half + 16; lane++) {
        if (!waits[lane])
            continue;
        int64_t size = width == 1 ? 32 : width == 2 ? 64 : 128, base = lanes.first[lane] / size * size;
        int64_t low = base + size, high = base;
        for (int other = lane; other < 16 * half + 16; other++) {
            int64_t first = lanes.first[other];
            if (!waits[other] || first < base || first >= base + size)
                continue;
            waits[other] = false;
            low = std::min(low, first);
            high = std::max(high, first + width);
        }
        while (size > 32 && (high <= base + size / 2 || low >= base + size / 2)) {
            size /= 2;
            if (low >= base + size)
                base += size;
        }
        sums.half_segments[size == 32 ? 0 : size == 64 ? 1 : 2]++;
    }
}

/* The rule of the same guide for 2.x: 16 lanes of 8 bytes, or 8 lanes of 16, are one request of 128 bytes, which is divided
   into lines by itself. */
static void plain_parts(const plain_lanes &lanes, unsigned width, access_sums &sums)
{
    const int each = width < 8 ? 32 : width == 8 ? 16 : 8;
    for (int from = 0; from < 32; from += each) {
        std::set<int64_t> used;
        std::map<int64_t, std::set<int64_t>> lines; /* the sectors of each */
        for (int lane = from; lane < from + each; lane++)
            for (int64_t byte = lanes.first[lane]; lanes.has(lane) && byte < lanes.first[lane] + width;
                 byte++) {
                used.insert(byte);
                lines[byte / 128].insert(byte / 32 % 4);
            }
        sums.part_used += used.size();
        for (const auto &[line, sectors] : lines) {
            sums.part_sectors += sectors.size();
            sums.part_segments[sectors.size() == 1                             ? 0
                               : *sectors.begin() / 2 == *sectors.rbegin() / 2 ? 1
                                                                               : 2]++;
        }
    }
}

static void plain_count(const warp_accesses &warp, struct access *sums)
{
    for (const auto &[which, lanes] : warp) {
        auto [what, space, width, ordinal] = which;
        (void)ordinal;
        if (space == SHARED && what == 'a')
            continue;
        if (space == SHARED) {
            shared_sums &s = what == 's' ? sums->shared_store : sums->shared_load;
            s.requests++;
            s.conflicts += plain_conflicts(lanes, width, what != 's', &s.wavefronts);
            plain_halves_at_banks(lanes, width, s);
            continue;
        }
        std::vector<int64_t> used, sectors, lines;
        uint64_t active = 0;
        used.reserve(32 * width), sectors.reserve(32 * width), lines.reserve(32 * width);
        for (int lane = 0; lane < 32; lane++) {
            active += lanes.has(lane);
            for (int64_t byte = lanes.first[lane]; lanes.has(lane) && byte < lanes.first[lane] + width;
                 byte++)
                used.push_back(byte);
        }
        sort_out(used);
        for (int64_t byte : used)
            sectors.push_back(byte / 32), lines.push_back(byte / 128);
        sort_out(sectors);
        sort_out(lines);
        access_sums one = {};
        one.requests = 1;
        one.sectors = sectors.size();
        one.lines = lines.size();
        one.bytes = active * width;
        one.used = used.size();
        plain_half(lanes, width, 0, one);
        plain_half(lanes, width, 1, one);
        plain_parts(lanes, width, one);
        for (int64_t line : lines) {
            auto first = std::lower_bound(sectors.begin(), sectors.end(), 4 * line);
            auto end = std::lower_bound(sectors.begin(), sectors.end(), 4 * line + 4);
            one.segments[end - first == 1 ? 0 : *first % 4 / 2 == *(end - 1) % 4 / 2 ? 1 : 2]++;
        }
        if (space != CONSTANT)
            plain_add(what == 's' ? sums->store : what == 'a' ? sums->atomic : sums->load, one);
        if (plain_listed)
            plain_add(plain_listed->sums[{what, space, width}], one);
    }
}

void plain_trace_threads(const run *r, struct access *sums, void (*body)(const plain_thread &thread))
{
    const shape &dim = r->domain.block;
    for (uint64_t by = 0; by < r->grid.y; by++)
        for (uint64_t bx = 0; bx < r->grid.x; bx++) {
            std::map<uint64_t, warp_accesses> warps;
            bool listed = plain_listed && plain_listed->block[0] == (int64_t)bx &&
                          plain_listed->block[1] == (int64_t)by;
            for (uint64_t t = 0; t < dim.x * dim.y; t++) {
                plain_notes notes{warps[t / 32], (int)(t % 32), listed && t / 32 == plain_listed->warp, {}};
                body({*r, (int64_t)bx, (int64_t)by, (int64_t)(t % dim.x), (int64_t)(t / dim.x), notes, -1});
            }
            for (const auto &[index, warp] : warps) {
                plain_count(warp, sums);
                if (listed && index == plain_listed->warp)
                    plain_listed->together = warp;
            }
        }
}

#include "tests/model/plain.h"

#include <algorithm>
#include <set>

#include "tests/model/plain_listing.h"

plain_listing *plain_listed;
plain_reach *plain_reached;

struct plain_notes {
    warp_accesses &warp;
    int lane;
    bool listed;
    std::map<std::tuple<char, int, unsigned>, int> made;
};

void plain_thread::note_bytes(char what, int space, unsigned bytes, int64_t first) const
{
    notes.warp[{what, space, bytes, notes.made[{what, space, bytes}]++}][notes.lane] = first;
    if (notes.listed)
        plain_listed->lanes[notes.lane].push_back({what, space, bytes, first});
    if (!plain_reached || space < 0 || what == 'a')
        return;
    bool in_loop = virtual_block >= 0, store = what == 's';
    for (int64_t byte = first; byte < first + bytes; byte++) {
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

/* Of 8 bytes: does each lane want what lane xor `distance` wants, or is that one idle? */
static bool plain_paired(const std::map<int, int64_t> &lanes, int distance)
{
    for (auto [lane, first] : lanes) {
        auto other = lanes.find(lane ^ distance);
        if (other != lanes.end() && other->second != first)
            return false;
    }
    return true;
}

/* Lanes of one part of a warp (a half for 8 bytes unless paired lanes load, a quarter for 16) that want different words of
   one bank wait. */
uint64_t plain_conflicts(const std::map<int, int64_t> &lanes, unsigned width, bool load)
{
    uint64_t conflicts = 0;
    int parts = width == 16 ? 4 : width == 8 ? 2 : 1;
    if (load && width == 8 && (plain_paired(lanes, 1) || plain_paired(lanes, 2)))
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

void plain_add(access_sums &to, const access_sums &one)
{
    to.requests += one.requests;
    to.sectors += one.sectors;
    to.lines += one.lines;
    for (int i = 0; i < 3; i++)
        to.segments[i] += one.segments[i];
    to.bytes += one.bytes;
    to.used += one.used;
}

static void plain_count(const warp_accesses &warp, struct access *sums)
{
    for (const auto &[which, lanes] : warp) {
        auto [what, space, width, ordinal] = which;
        (void)ordinal;
        if (space == SHARED) {
            shared_sums &s = what == 's' ? sums->shared_store : sums->shared_load;
            s.requests++;
            s.conflicts += plain_conflicts(lanes, width, what != 's');
            continue;
        }
        std::set<int64_t> sectors, lines, used;
        std::map<int64_t, std::set<int64_t>> of_line;
        for (auto [lane, first] : lanes)
            for (int64_t byte = first; byte < first + width; byte++) {
                sectors.insert(byte / 32);
                lines.insert(byte / 128);
                of_line[byte / 128].insert(byte % 128 / 32);
                used.insert(byte);
            }
        access_sums one = {1, sectors.size(), lines.size(), lanes.size() * width, used.size(), {}};
        for (auto &[line, parts] : of_line)
            one.segments[parts.size() == 1 ? 0 : *parts.begin() / 2 == *parts.rbegin() / 2 ? 1 : 2]++;
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

/* Sectors and lines of a pattern by residues; conflicts of shared memory by banks. */
#include "kernels/model/pattern.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "kernels/model/interval.h"

/* The numbers of segments of 32, 64 and 128 bytes: each region of `largest` bytes is one segment, of the size
   that holds its touched sectors. `touched` is sorted and joined, so sectors come in ascending order. */
static std::array<uint64_t, 3> segments(const interval *touched, size_t count, int64_t residue,
                                        int64_t largest)
{
    std::array<uint64_t, 3> counts = {};
    int64_t region = -1;
    unsigned sectors = 0;
    auto end_region = [&] {
        bool one = (sectors & (sectors - 1)) == 0, two = !(sectors & 0x3) || !(sectors & 0xC);
        counts[one ? 0 : two ? 1 : 2] += sectors != 0;
        sectors = 0;
    };
    for (size_t i = 0; i < count; i++)
        for (int64_t sector = (touched[i].begin + residue) / SECTOR_BYTES;
             sector * SECTOR_BYTES < touched[i].end + residue; sector++) {
            if (sector * SECTOR_BYTES / largest > region) {
                end_region();
                region = sector * SECTOR_BYTES / largest;
            }
            sectors |= 1u << sector % (LINE_BYTES / SECTOR_BYTES);
        }
    end_region();
    return counts;
}

void pattern_residues(const box &box, const int64_t b[3], int64_t unit, uint64_t counts[])
{
    uint64_t before[PAGE_BYTES], size = (uint64_t)unit;
    memset(counts, 0, size * sizeof *counts);
    counts[0] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t length = (uint64_t)(box.high[i] - box.low[i]);
        int64_t step = (b[i] % unit + unit) % unit;
        uint64_t period = size / (uint64_t)std::gcd(step, unit);
        memcpy(before, counts, size * sizeof *counts);
        memset(counts, 0, size * sizeof *counts);
        for (uint64_t r = 0; r < size; r++)
            for (uint64_t j = 0; before[r] && j < std::min(period, length); j++) {
                uint64_t times = length / period + (j < length % period);
                uint64_t at = (uint64_t)step * ((uint64_t)box.low[i] % size + j) % size;
                counts[(r + at) % size] += before[r] * times;
            }
    }
}

/* The longest queue at one of `banks` banks for the words that the lanes of `part` touch; rows of `row_bytes` are
   fetched whole. */
static int fetches(const pattern &p, int part, int parts, int banks, int64_t row_bytes)
{
    std::array<std::pair<int64_t, int64_t>, WARP_LANES * 4> words; /* bank, row */
    size_t count = 0;
    for (int i = 0; i < p.lanes; i++) {
        if (p.lane[i] * parts / WARP_LANES != part)
            continue;
        for (int64_t at = p.at[i] / BANK_BYTES; at <= (p.at[i] + p.bytes - 1) / BANK_BYTES; at++)
            words[count++] = {access_bank(at * BANK_BYTES, banks), at * BANK_BYTES / row_bytes};
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

/* True when each lane requests the same as its neighbour at that distance, where there is one. */
static bool paired(const pattern &p, int distance)
{
    for (int i = 0; i < p.lanes; i++)
        for (int j = i + 1; j < p.lanes; j++)
            if ((p.lane[i] ^ distance) == p.lane[j] && p.at[i] != p.at[j])
                return false;
    return true;
}

shared_sums pattern_shared(const pattern &p)
{
    int parts = p.bytes <= 4 ? 1 : (int)p.bytes / 4, all = 0, conflicts = 0;
    if (p.load && p.bytes >= 8 && (paired(p, 1) || paired(p, 2)))
        parts /= 2;
    for (int part = 0; part < parts; part++) {
        int count = fetches(p, part, parts, BANKS, BANKS * BANK_BYTES);
        all += count;
        conflicts += std::max(0, count - 1);
    }
    int wide = 0, wide_conflicts = 0, halves = 0, half_conflicts = 0, quarters = 0;
    const int wide_parts = p.bytes > 2 * BANK_BYTES ? 2 : 1;
    for (int part = 0; part < wide_parts; part++) {
        int count = fetches(p, part, wide_parts, BANKS, 2 * BANKS * BANK_BYTES);
        wide += count;
        wide_conflicts += std::max(0, count - 1);
    }
    for (int part = 0; part < 4 && p.bytes > 2 * BANK_BYTES; part++)
        quarters += fetches(p, part, 4, BANKS, BANKS * BANK_BYTES) > 0;
    pattern word = p; /* wider accesses are split into requests of a word a lane */
    word.bytes = std::min(p.bytes, (unsigned)BANK_BYTES);
    for (unsigned at = 0; at < p.bytes; at += BANK_BYTES) {
        for (int half = 0; half < 2; half++) {
            int count = fetches(word, half, 2, HALF_WARP_BANKS, HALF_WARP_BANKS * BANK_BYTES);
            halves += count;
            half_conflicts += std::max(0, count - 1);
        }
        for (int i = 0; i < word.lanes; i++)
            word.at[i] += BANK_BYTES;
    }
    return {.requests = p.blocks,
            .wavefronts = p.blocks * (uint64_t)all,
            .conflicts = p.blocks * (uint64_t)conflicts,
            .wavefronts_wide = p.blocks * (uint64_t)wide,
            .conflicts_wide = p.blocks * (uint64_t)wide_conflicts,
            .quarters = p.blocks * (uint64_t)quarters,
            .half_wavefronts = p.blocks * (uint64_t)halves,
            .half_conflicts = p.blocks * (uint64_t)half_conflicts};
}

/* The bytes from `first` on that the lanes of a part of the warp touch, sorted and joined. Returns how many
   intervals. */
static size_t touched_bytes(const pattern &p, int lane_from, int lane_to, int64_t first, interval *touched)
{
    size_t lanes = 0;
    for (int i = 0; i < p.lanes; i++)
        if (p.lane[i] >= lane_from && p.lane[i] < lane_to)
            touched[lanes++] = {p.at[i] - first, p.at[i] - first + p.bytes};
    return intervals_join(touched, lanes);
}

access_sums pattern_global(const pattern &p)
{
    interval touched[WARP_LANES], half[2][WARP_LANES], part[4][WARP_LANES];
    uint64_t counts[LINE_BYTES];
    size_t half_count[2], part_count[4];
    const int parts = access_parts(p.bytes), lanes = WARP_LANES / parts;
    access_sums sums = {};
    const int64_t first = *std::min_element(p.at, p.at + p.lanes);
    const int64_t half_largest = p.bytes >= 4 ? (int64_t)LINE_BYTES : p.bytes * SECTOR_BYTES;
    size_t count = touched_bytes(p, 0, WARP_LANES, first, touched);
    pattern_residues(p.where, p.b, LINE_BYTES, counts);
    sums.requests = p.blocks;
    sums.bytes = p.blocks * (uint64_t)p.lanes * p.bytes;
    sums.used = p.blocks * intervals_units(touched, count, 0, 1);
    for (int h = 0; h < 2; h++) {
        half_count[h] = touched_bytes(p, h * WARP_LANES / 2, (h + 1) * WARP_LANES / 2, first, half[h]);
        sums.half_requests += half_count[h] ? p.blocks : 0;
        sums.half_used += p.blocks * intervals_units(half[h], half_count[h], 0, 1);
    }
    for (int k = 0; parts > 1 && k < parts; k++) {
        part_count[k] = touched_bytes(p, k * lanes, (k + 1) * lanes, first, part[k]);
        sums.part_used += p.blocks * intervals_units(part[k], part_count[k], 0, 1);
    }
    for (int64_t r = 0; r < LINE_BYTES; r++) {
        if (!counts[r])
            continue;
        int64_t residue = (first + r) % LINE_BYTES;
        sums.sectors += counts[r] * intervals_units(touched, count, residue, SECTOR_BYTES);
        auto segment = segments(touched, count, residue, LINE_BYTES);
        for (int i = 0; i < 3; i++)
            sums.segments[i] += counts[r] * segment[i];
        sums.lines += counts[r] * (segment[0] + segment[1] + segment[2]);
        for (int h = 0; h < 2; h++) {
            auto of_half = segments(half[h], half_count[h], residue, half_largest);
            for (int i = 0; i < 3; i++)
                sums.half_segments[i] += counts[r] * of_half[i];
        }
        for (int k = 0; parts > 1 && k < parts; k++) {
            auto of_part = segments(part[k], part_count[k], residue, LINE_BYTES);
            sums.part_sectors += counts[r] * intervals_units(part[k], part_count[k], residue, SECTOR_BYTES);
            for (int i = 0; i < 3; i++)
                sums.part_segments[i] += counts[r] * of_part[i];
        }
    }
    if (parts == 1) {
        sums.part_sectors = sums.sectors;
        sums.part_used = sums.used;
        memcpy(sums.part_segments, sums.segments, sizeof sums.segments);
    }
    return sums;
}

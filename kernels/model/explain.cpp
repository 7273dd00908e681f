/* What explain.h offers beside the listing, which warp_listing.cpp makes. */
#include "kernels/model/explain.h"

#include <stdlib.h>

#include <map>

int explain_make(const struct experiment *experiment, struct access *access, struct explain *explain)
{
    explain->instructions = nullptr;
    explain->accesses = nullptr;
    access_trace(experiment, access, explain);
    return explain->instructions && explain->accesses ? 0 : -1;
}

void explain_free(struct explain *explain)
{
    free(explain->instructions);
    free(explain->accesses);
}

/* The bytes that the lanes from `from` to before `to` request, as a mask of each sector by number. */
static std::map<int64_t, uint32_t> sectors_used(const access_instruction &instruction,
                                                const explain_access &access, int from, int to)
{
    std::map<int64_t, uint32_t> used;
    for (int lane = from; lane < to; lane++) {
        int64_t first = access.first[lane];
        for (int64_t byte = first; first >= 0 && byte < first + instruction.bytes; byte++)
            used[byte / SECTOR_BYTES] |= 1u << byte % SECTOR_BYTES;
    }
    return used;
}

int explain_sectors(const struct access_instruction *instruction, const struct explain_access *access,
                    struct explain_sector sectors[EXPLAIN_SECTORS])
{
    int count = 0;
    for (const auto &[sector, mask] : sectors_used(*instruction, *access, 0, WARP_LANES))
        sectors[count++] = {sector * SECTOR_BYTES, mask};
    return count;
}

/* A segment shrinks to its half while all that is used lies in it. */
static void shrink(explain_transaction &segment, int64_t first, int64_t last)
{
    while (segment.bytes > SECTOR_BYTES) {
        int64_t middle = segment.address + segment.bytes / 2;
        if (first < middle && last >= middle)
            return;
        segment.bytes /= 2;
        if (first >= middle)
            segment.address = middle;
    }
}

static int add_part(const access_instruction &instruction, const explain_access &access,
                    enum prediction_unit unit, int part, int parts, explain_transaction *list)
{
    const int lanes = WARP_LANES / parts, from = part * lanes;
    const int largest = unit == UNIT_SECTOR ? (int)SECTOR_BYTES
                        : unit == UNIT_HALF_SEGMENT && instruction.bytes < 4
                            ? (int)instruction.bytes * SECTOR_BYTES
                            : (int)LINE_BYTES;
    int count = 0;
    int64_t first = 0, last = 0; /* sectors of the present transaction */
    auto end = [&] {
        if (count && unit != UNIT_LINE)
            shrink(list[count - 1], first * SECTOR_BYTES, last * SECTOR_BYTES);
    };
    for (const auto &[sector, mask] : sectors_used(instruction, access, from, from + lanes)) {
        int64_t address = sector * SECTOR_BYTES / largest * largest;
        if (!count || address >= list[count - 1].address + largest) {
            end();
            list[count++] = {address, largest, 0, 0, parts > 1 ? part : -1};
            first = sector;
        }
        last = sector;
        list[count - 1].used_bytes += __builtin_popcount(mask);
        list[count - 1].sectors++;
    }
    end();
    return count;
}

int explain_transactions(const struct access_instruction *instruction, const struct explain_access *access,
                         enum prediction_unit unit, int parts,
                         struct explain_transaction list[EXPLAIN_SECTORS])
{
    int count = 0;
    for (int part = 0; part < parts; part++)
        count += add_part(*instruction, *access, unit, part, parts, list + count);
    return count;
}

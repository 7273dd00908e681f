/* What explain.h offers beside the listing, which warp_listing.cpp makes. */
#include "kernels/model/explain.h"

#include <stdlib.h>

#include <map>

#include "kernels/model/pattern.h"

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

int explain_sectors(const struct access_instruction *instruction, const struct explain_access *access,
                    struct explain_sector sectors[EXPLAIN_SECTORS])
{
    std::map<int64_t, uint32_t> used;
    for (int64_t first : access->first)
        for (int64_t byte = first; first >= 0 && byte < first + instruction->bytes; byte++)
            used[byte / SECTOR_BYTES] |= 1u << byte % SECTOR_BYTES;
    int count = 0;
    for (const auto &[sector, mask] : used)
        sectors[count++] = {sector * SECTOR_BYTES, mask};
    return count;
}

int explain_bank(int64_t byte)
{
    return pattern_bank(byte);
}

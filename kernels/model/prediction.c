/* Chooses the unit of each access by architecture and load path, and adds up. */
#include "kernels/model/prediction.h"

#include <stddef.h>
#include <string.h>

static int load_path(const struct experiment *experiment, const struct arch *arch)
{
    const struct kernel *kernel = experiment->kernel;
    if (kernel->load_param >= 0)
        return (int)experiment->param[kernel->load_param];
    return kernel->restricted && arch->access.read_only_path ? LOAD_LDG : kernel->loads_by;
}

/* A load that names a path uses it where the architecture has it; the setting is for loads that name none. */
static bool through_l1(const struct arch *arch, int path, enum l1_setting setting, const char **note)
{
    const struct arch_access *has = &arch->access;
    bool able = has->l1 != ARCH_L1_NEVER, l1 = able;
    if (path == LOAD_CG || path == LOAD_VOLATILE)
        l1 = false;
    else if (path == LOAD_LDG)
        l1 = has->l1_bytes == SECTOR_BYTES;
    else if (path != LOAD_CA)
        l1 = able && (setting == L1_ON || (setting == L1_BY_ARCH && has->l1 == ARCH_L1_BY_DEFAULT));
    if (path == LOAD_CA && !able)
        *note = strcmp(arch->name, "sm_35") == 0
                    ? "a K20 keeps no global loads in its L1: ca does what the default does; a K40, which is "
                      "sm_35 too, keeps them as sm_37 does"
                    : "the architecture keeps no global loads in its L1: ca does what the default does";
    else if (setting != L1_BY_ARCH && l1 != (setting == L1_ON))
        *note = "the kernel's loads name their path, which holds whatever \"l1\" says";
    return l1;
}

const char *prediction_unit_name(enum prediction_unit unit)
{
    static const char *const names[] = {
        [UNIT_SECTOR] = "sector",
        [UNIT_LINE] = "line",
        [UNIT_SEGMENT] = "segment",
        [UNIT_HALF_SEGMENT] = "half_warp_segment",
    };
    return names[unit];
}

/* parts: a warp's access may be several requests, as ARCH_REQUEST_WARP_PARTS says. */
static struct prediction_side side_make(const struct access_sums *sums, enum prediction_unit unit, bool parts)
{
    const bool half = unit == UNIT_HALF_SEGMENT, segments = half || unit == UNIT_SEGMENT;
    const uint64_t *count = half ? sums->half_segments : parts ? sums->part_segments : sums->segments;
    const uint64_t sectors = parts ? sums->part_sectors : sums->sectors,
                   lines = parts ? count[0] + count[1] + count[2] : sums->lines;
    struct prediction_side side = {
        .unit = unit,
        .requests = sums->requests,
        .sectors = sectors,
        .lines = lines,
        .transactions = unit == UNIT_LINE ? lines : sectors,
        .transaction_bytes = unit == UNIT_LINE ? lines * LINE_BYTES : sectors * SECTOR_BYTES,
        .bytes = sums->bytes,
        .used_bytes = half    ? sums->half_used
                      : parts ? sums->part_used
                              : sums->used,
        .efficiency_pct = -1,
    };
    if (segments) {
        memcpy(side.segments, count, sizeof side.segments);
        side.transactions = count[0] + count[1] + count[2];
        side.transaction_bytes = 32 * count[0] + 64 * count[1] + 128 * count[2];
    }
    side.moved_bytes = unit == UNIT_SEGMENT ? sectors * SECTOR_BYTES : side.transaction_bytes;
    if (side.moved_bytes)
        side.efficiency_pct = 100 * (double)side.used_bytes / (double)side.moved_bytes;
    return side;
}

static enum prediction_unit load_unit(const struct arch *arch, bool l1)
{
    return arch->access.request == ARCH_REQUEST_HALF_WARP        ? UNIT_HALF_SEGMENT
           : l1 && arch->access.l1_bytes == (uint32_t)LINE_BYTES ? UNIT_LINE
                                                                 : UNIT_SECTOR;
}

static enum prediction_unit store_unit(const struct arch *arch)
{
    return arch->access.request == ARCH_REQUEST_HALF_WARP ? UNIT_HALF_SEGMENT
           : arch->access.stores_joined                   ? UNIT_SEGMENT
                                                          : UNIT_SECTOR;
}

/* Active lanes of 32, over all warps: the threads of a block, in warps of which the last may not be full. */
static double lanes_active(const struct experiment *experiment)
{
    const int64_t *block = experiment->block;
    uint64_t threads = (uint64_t)(block[0] * block[1] * block[2]);
    uint64_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    return (double)threads / (double)warps;
}

int prediction_make(const struct experiment *experiment, const struct access *access, const struct arch *arch,
                    enum l1_setting setting, struct prediction *prediction, struct error *error)
{
    if (arch->access.request == ARCH_REQUEST_HALF_WARP_IN_ORDER)
        return error_set(
            error, ERROR_INVALID,
            "%s joins only what a half warp accesses in order from an aligned address; the model "
            "counts from sm_12 on",
            arch->name);
    if (setting == L1_ON && arch->access.l1 == ARCH_L1_NEVER)
        return error_set(error, ERROR_INVALID, "%s does not cache global loads in L1", arch->name);
    int path = load_path(experiment, arch);
    if (path == LOAD_LDG && !arch->access.read_only_path)
        return error_set(error, ERROR_INVALID,
                         "%s has no read-only path for global loads (ldg); sm_35 was the first", arch->name);
    const char *note = NULL;
    const bool parts = arch->access.request == ARCH_REQUEST_WARP_PARTS;
    bool l1 = through_l1(arch, path, setting, &note);
    *prediction = (struct prediction){
        .arch = arch,
        .l1 = l1,
        .note = note,
        .lanes_active = lanes_active(experiment),
        .exact = access->exact,
        .load = side_make(&access->load, load_unit(arch, l1), parts),
        .store = side_make(&access->store, store_unit(arch), parts),
        .atomic_requests = access->atomic.requests,
        .atomic_sectors = access->atomic.sectors,
        .shared_load = prediction_of_shared(arch, &access->shared_load),
        .shared_store = prediction_of_shared(arch, &access->shared_store),
    };
    return 0;
}

struct prediction_side prediction_of_instruction(const struct prediction *prediction,
                                                 const struct access_instruction *instruction)
{
    const bool parts = prediction->arch->access.request == ARCH_REQUEST_WARP_PARTS;
    switch (instruction->kind) {
    case ACCESS_LOAD:
        return side_make(&instruction->global, prediction->load.unit, parts);
    case ACCESS_STORE:
        return side_make(&instruction->global, prediction->store.unit, parts);
    default: /* updates are counted by sectors, on every architecture */
        return side_make(&instruction->global, UNIT_SECTOR, false);
    }
}

int prediction_parts(const struct prediction *prediction, const struct access_instruction *instruction)
{
    const enum arch_request request = prediction->arch->access.request;
    return instruction->kind == ACCESS_ATOMIC   ? 1
           : request == ARCH_REQUEST_HALF_WARP  ? 2
           : request == ARCH_REQUEST_WARP_PARTS ? access_parts(instruction->bytes)
                                                : 1;
}

struct prediction_shared prediction_of_shared(const struct arch *arch, const struct shared_sums *sums)
{
    const uint64_t requests = sums->requests;
    switch (arch->access.banks) {
    case ARCH_BANKS_HALF_WARP:
        return (struct prediction_shared){requests, sums->half_wavefronts, sums->half_conflicts};
    case ARCH_BANKS_WIDE:
        return (struct prediction_shared){requests, sums->wavefronts_wide, sums->conflicts_wide};
    case ARCH_BANKS_QUARTERS:
        return (struct prediction_shared){requests, sums->wavefronts + sums->quarters,
                                          sums->conflicts + sums->quarters};
    default:
        return (struct prediction_shared){requests, sums->wavefronts, sums->conflicts};
    }
}

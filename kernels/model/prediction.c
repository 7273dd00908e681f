/* Chooses the unit of each access by architecture and load path, and adds up. */
#include "kernels/model/prediction.h"

#include <stddef.h>

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
        l1 = able && has->l1_bytes == SECTOR_BYTES;
    else if (path != LOAD_CA)
        l1 = able && (setting == L1_ON || (setting == L1_BY_ARCH && has->l1 == ARCH_L1_BY_DEFAULT));
    if (path == LOAD_CA && !able)
        *note = "the architecture keeps no global loads in its L1: ca does what the default does";
    else if (setting != L1_BY_ARCH && l1 != (setting == L1_ON))
        *note = "the kernel's loads name their path, which holds whatever \"l1\" says";
    return l1;
}

static struct prediction_side side_make(const struct access_sums *sums, uint64_t unit_bytes, bool joined)
{
    struct prediction_side side = {
        .requests = sums->requests,
        .segments = {sums->segments[0], sums->segments[1], sums->segments[2]},
        .sectors = sums->sectors,
        .lines = sums->lines,
        .transactions = unit_bytes == LINE_BYTES || joined ? sums->lines : sums->sectors,
        .bytes = sums->bytes,
        .used_bytes = sums->used,
        .moved_bytes = unit_bytes == LINE_BYTES ? sums->lines * LINE_BYTES : sums->sectors * SECTOR_BYTES,
        .efficiency_pct = -1,
    };
    if (side.moved_bytes)
        side.efficiency_pct = 100 * (double)side.used_bytes / (double)side.moved_bytes;
    return side;
}

static struct prediction_shared shared_make(const struct shared_sums *sums, bool wide_banks)
{
    return (struct prediction_shared){sums->requests, wide_banks ? sums->conflicts_wide : sums->conflicts};
}

/* Active lanes of 32, over all warps: the threads of a block, in warps of which the last may not be full. */
static double lanes_active(const struct experiment *experiment)
{
    const int64_t *block = experiment->block;
    uint64_t threads = (uint64_t)(block[0] * block[1] * block[2]);
    return (double)threads / (double)((threads + WARP_LANES - 1) / WARP_LANES);
}

int prediction_make(const struct experiment *experiment, const struct access *access, const struct arch *arch,
                    enum l1_setting setting, struct prediction *prediction, struct error *error)
{
    if (arch->access.half_warps)
        return error_set(error, ERROR_INVALID,
                         "%s forms its requests by half warps; the model counts by warps", arch->name);
    if (setting == L1_ON && arch->access.l1 == ARCH_L1_NEVER)
        return error_set(error, ERROR_INVALID, "%s does not cache global loads in L1", arch->name);
    int path = load_path(experiment, arch);
    if (path == LOAD_LDG && !arch->access.read_only_path)
        return error_set(error, ERROR_INVALID,
                         "%s has no read-only path for global loads (ldg); sm_35 was the first", arch->name);
    const char *note = NULL;
    bool l1 = through_l1(arch, path, setting, &note);
    *prediction = (struct prediction){
        .arch = arch,
        .l1 = l1,
        .note = note,
        .lanes_active = lanes_active(experiment),
        .exact = access->exact,
        .load = side_make(&access->load, l1 ? arch->access.l1_bytes : SECTOR_BYTES, false),
        .store = side_make(&access->store, SECTOR_BYTES, arch->access.stores_joined),
        .atomic_requests = access->atomic.requests,
        .atomic_sectors = access->atomic.sectors,
        .shared_load = shared_make(&access->shared_load, arch->access.wide_banks),
        .shared_store = shared_make(&access->shared_store, arch->access.wide_banks),
    };
    return 0;
}

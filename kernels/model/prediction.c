#include "kernels/model/prediction.h"

static bool through_l1(const struct experiment *experiment, const struct arch *arch, enum l1_setting setting)
{
    const struct kernel *kernel = experiment->kernel;
    int64_t path = kernel->load_param >= 0 ? experiment->param[kernel->load_param] : LOAD_DEFAULT;
    if (arch->access.l1 == ARCH_L1_NEVER || setting == L1_OFF)
        return false;
    if (setting == L1_ON)
        return true;
    if (path == LOAD_CG || path == LOAD_LDG || path == LOAD_VOLATILE)
        return false;
    return arch->access.l1 == ARCH_L1_BY_DEFAULT || path == LOAD_CA;
}

static struct prediction_side side_make(const struct access_sums *sums, uint64_t unit_bytes, bool joined)
{
    struct prediction_side side = {
        .requests = sums->requests,
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

int prediction_make(const struct experiment *experiment, const struct access *access, const struct arch *arch,
                    enum l1_setting setting, struct prediction *prediction, struct error *error)
{
    if (arch->access.half_warps)
        return error_set(error, ERROR_INVALID,
                         "%s forms its requests by half warps; the model counts by warps", arch->name);
    if (setting == L1_ON && arch->access.l1 == ARCH_L1_NEVER)
        return error_set(error, ERROR_INVALID, "%s does not cache global loads in L1", arch->name);
    bool l1 = through_l1(experiment, arch, setting);
    *prediction = (struct prediction){
        .arch = arch,
        .l1 = l1,
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

#include "kernels/calibrations/calibrated_facts.h"

#include <stdio.h>

#include "kernels/model/arch.h"

void calibrated_facts(const struct calibration *calibration, struct device_facts *facts)
{
    const struct arch *arch = arch_find(calibration->arch);
    *facts = (struct device_facts){
        .backend = "cuda",
        .uuid = "calibrated", /* of no device: another one than any peer's */
        .multiprocessors = calibration->sms,
        .warp_size = ARCH_WARP_THREADS,
        .max_threads_per_block = arch ? arch->threads_per_block : 1024,
        .max_threads_per_multiprocessor = arch ? arch->warps_per_sm * ARCH_WARP_THREADS : 2048,
        .max_block = {1024, 1024, 64},
        .max_grid = {2147483647, 65535, 65535},
        .shared_bytes_per_block_optin = arch ? arch->shared.per_block_bytes : 0,
        .memory_bytes = UINT64_MAX,
        .clock_khz = calibration->clock_khz,
        .numa_node = FACTS_NO_NODE,
    };
    snprintf(facts->name, sizeof facts->name, "%s", calibration->name);
    snprintf(facts->arch, sizeof facts->arch, "%s", calibration->arch);
}

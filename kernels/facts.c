/* A device's peaks, by arithmetic, and the limits of a launch where no device is named. */
#include "kernels/facts.h"

#include <string.h>

const struct device_facts facts_any_device = {
    .name = "the newest GPUs",
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
};

const char *facts_limits_name(const struct device_facts *facts)
{
    return strcmp(facts->backend, "cpu") == 0 ? facts_any_device.name : facts->name;
}

double facts_peak_bandwidth_gbps(uint32_t memory_clock_khz, uint32_t bus_bits, uint32_t chips)
{
    return (double)PEAK_TRANSFERS_PER_CLOCK * bus_bits * (memory_clock_khz * 1e3) * chips / 8 / 1e9;
}

double facts_peak_single_gflops(uint32_t clock_khz, uint32_t multiprocessors, uint32_t lanes, uint32_t chips)
{
    return clock_khz * 1e3 * chips * multiprocessors * lanes * PEAK_OPERATIONS_PER_LANE / 1e9;
}

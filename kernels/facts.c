/* A device's peaks, by arithmetic. */
#include "kernels/facts.h"

double facts_peak_bandwidth_gbps(uint32_t memory_clock_khz, uint32_t bus_bits, uint32_t chips)
{
    return (double)PEAK_TRANSFERS_PER_CLOCK * bus_bits * (memory_clock_khz * 1e3) * chips / 8 / 1e9;
}

double facts_peak_single_gflops(uint32_t clock_khz, uint32_t multiprocessors, uint32_t lanes, uint32_t chips)
{
    return clock_khz * 1e3 * chips * multiprocessors * lanes * PEAK_OPERATIONS_PER_LANE / 1e9;
}

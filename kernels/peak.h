/* What a device could do at most, by arithmetic from its facts. These are the formulas of the CUDA literature
   (Cheng, Grossman, McKercher: Professional CUDA C Programming, chapters 2 and 4), which are those of
   NVIDIA's data sheets. */
#ifndef COALESCED_KERNELS_PEAK_H
#define COALESCED_KERNELS_PEAK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PEAK_TRANSFERS_PER_CLOCK = 2, /* double data rate, by the memory clock that the driver reports */
    PEAK_OPERATIONS_PER_LANE = 2, /* a fused multiply-add each clock counts as two */
};

/* 10^9 bytes a second: transfers a clock x bus width x memory clock x chips / 8; 0 when an input is 0. */
double peak_bandwidth_gbps(uint32_t memory_clock_khz, uint32_t bus_bits, uint32_t chips);

/* 10^9 single-precision operations a second: clock x chips x multiprocessors x lanes x operations; 0 when an
   input is 0. lanes: struct arch's fp32_lanes. */
double peak_single_gflops(uint32_t clock_khz, uint32_t multiprocessors, uint32_t lanes, uint32_t chips);

#ifdef __cplusplus
}
#endif
#endif

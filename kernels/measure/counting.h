/* Experiments' launches under the hardware's counters. */
#ifndef COALESCED_KERNELS_MEASURE_COUNTING_H
#define COALESCED_KERNELS_MEASURE_COUNTING_H

#include "kernels/device/device.h"

/* An experiment to be counted, and what came of it: counting_run() writes that of each. */
struct counted {
    const struct experiment *experiment;
    struct counters counters;
};

/* Each launch begins with cold caches and with buffers as they were before the first. points[0] is counted; those after it,
   which will run next, are counted in the same passes as far as they ask for the same counters, fit into the device's
   memory and into ahead_s seconds, all passes together: those of them whose status is COUNTERS_MEASURED. COUNTERS_POINTS at
   most. What is refused is told in points[0].counters and is no error; -1 is what the device said of a launch, or
   ERROR_OUT_OF_MEMORY when points[0] does not fit. */
int counting_run(const struct device_kind *kind, struct device *device, struct counted points[], int count,
                 double ahead_s, struct error *error);

#endif

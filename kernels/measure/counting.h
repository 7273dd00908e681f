/* Counts experiments' launches by the hardware's counters. */
#pragma once

#include "kernels/device/device.h"

/* An experiment to count, and its counters, which counting_run() writes. */
struct counted {
    const struct experiment *experiment;
    struct counters counters;
};

/* Each launch begins with cold caches and initial buffers. Counts points[0], and in the same passes the
   points after it, which run next, as far as they want the same counters and fit into the device's memory,
   into COUNTERS_POINTS and into ahead_s seconds for all passes together; those have the status
   COUNTERS_MEASURED. A refusal is reported in points[0].counters and is no error. Returns 0, or -1: an
   error of a launch, or ERROR_OUT_OF_MEMORY when points[0] does not fit. */
int counting_run(const struct device_kind *kind, struct device *device, struct counted points[], int count,
                 double ahead_s, struct error *error);

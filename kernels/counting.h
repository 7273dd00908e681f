/* An experiment's launches under the hardware's counters. */
#ifndef COALESCED_KERNELS_COUNTING_H
#define COALESCED_KERNELS_COUNTING_H

#include "kernels/device/device.h"

/* Each launch begins with cold caches and with outputs as they were before the first. What is refused is told in
   result->counters and is no error; -1 is what the device said. Needs result->launch. */
int counting_run(const struct device_kind *kind, struct device *device, const struct run *run,
                 const struct counters_wanted *wanted, struct result *result, struct error *error);

#endif

/* How long copies between host and device take: of the experiment's own arrays, as they lie on the device. */
#ifndef COALESCED_KERNELS_MEASURE_TRANSFER_H
#define COALESCED_KERNELS_MEASURE_TRANSFER_H

#include "kernels/device/device.h"
#include "kernels/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times all outputs to the host and all inputs to the device, a few times each within about max_seconds, and checks
   that the inputs are what they were. On a device whose memory is the host's nothing is timed. Returns 0, or -1:
   ERROR_MEMORY, ERROR_OUT_OF_MEMORY (pinned memory), ERROR_INCORRECT, what the device says. */
int transfer_time(const struct device_kind *kind, struct device *device, const struct run *run, bool pinned,
                  double max_seconds, struct result *result, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

/* Times copies of an experiment's own arrays between host and device. */
#pragma once

#include "kernels/device/device.h"
#include "kernels/result.h"

/* Times the copies of all outputs to the host and of all inputs to the device, a few times each within
   about max_seconds, and checks the inputs afterwards. Times nothing on a device whose memory is the
   host's. Returns 0, or -1: ERROR_MEMORY, ERROR_OUT_OF_MEMORY (pinned memory), ERROR_INCORRECT, or the
   device's error. */
int transfer_time(const struct device_kind *kind, struct device *device, const struct run *run, bool pinned,
                  double max_seconds, struct result *result, struct error *error);

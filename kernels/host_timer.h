/* What a program's own timer says of a launch: the clock of the host before it, and after the device was waited for.
   It holds what the driver and the host take besides the kernel, which is why the service's times are taken by other
   means (timing.h), and why this is a reading of its own. */
#ifndef COALESCED_KERNELS_HOST_TIMER_H
#define COALESCED_KERNELS_HOST_TIMER_H

#include "kernels/device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches and waits. Microseconds in *us. 0, or -1. */
int host_time(const struct device_kind *kind, struct device *device, const struct run *run, double *us,
              struct error *error);

/* Times HOST_TIMER_LAUNCHES launches one by one, fewer (one at least) when max_seconds are over, and fills in all of
   *times but first_us, which is the caller's. 0, or -1. */
enum { HOST_TIMER_LAUNCHES = 20 };
int host_time_all(const struct device_kind *kind, struct device *device, const struct run *run,
                  double max_seconds, struct host_times *times, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

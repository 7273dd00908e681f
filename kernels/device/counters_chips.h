/* What CUPTI would count on a chip, asked without a device: on any machine that has CUPTI. */
#ifndef COALESCED_KERNELS_DEVICE_COUNTERS_CHIPS_H
#define COALESCED_KERNELS_DEVICE_COUNTERS_CHIPS_H

#include "base/error.h"
#include "kernels/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The chips that CUPTI knows, kept by CUPTI; and what one of them ("GH100") would make of a request:
   metrics, passes, and a reason for each that it has not. 0, or -1 with *error: no CUPTI, no such chip. */
int counters_chips(const char *const **names, int *count, struct error *error);
int counters_plan(const char *chip, const struct counters_wanted *wanted, struct counters *counters,
                  struct error *error);

#ifdef __cplusplus
}
#endif
#endif

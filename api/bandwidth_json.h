/* A result's `bandwidth`: three counts of bytes, and what they make with the times. */
#ifndef COALESCED_API_BANDWIDTH_JSON_H
#define COALESCED_API_BANDWIDTH_JSON_H

#include <jansson.h>

#include "kernels/result.h"

/* Bytes over microseconds, in 10^9 bytes a second; NaN without a time. */
double bandwidth_gbps(double bytes, double us);

/* Bytes in sectors come from the counters, or else from the result's `prediction`. New reference. */
json_t *bandwidth_to_json(const struct experiment *experiment, const struct result *result,
                          const json_t *prediction);

/* How fast what the kernel is about was done, where that is arithmetic or steps instead of bytes. */
json_t *compute_to_json(const struct result *result);

#endif

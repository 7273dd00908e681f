/* A result's `bandwidth` and `compute`: counts of bytes or of operations, and the rates that they make
   with the times. */
#ifndef COALESCED_API_BANDWIDTH_JSON_H
#define COALESCED_API_BANDWIDTH_JSON_H

#include "api/prediction_json.h"
#include "kernels/result.h"

/* Bytes over microseconds, in 10^9 bytes a second; NaN without a time. */
double bandwidth_json_gbps(double bytes, double us);

/* Bytes in sectors come from the counters, or else from the result's prediction. */
void bandwidth_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                          const struct result *result, const struct prediction_answer *prediction);

/* How fast a kernel did its arithmetic or its steps, where it is about these instead of bytes. */
void bandwidth_json_compute(struct json_writer *json, const char *key, const struct result *result);

#endif

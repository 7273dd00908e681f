/* struct result -> the members of an experiment's result that came from the device: device, launch,
   timing, bandwidth, correctness, and what is missing, with its reason. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "api/prediction_json.h"
#include "base/json_writer.h"
#include "kernels/result.h"
#include "kernels/stability.h"

void result_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                       const struct result *result);

/* The same as text, to be freed by the caller; NULL: no memory. */
char *result_json_text(const struct experiment *experiment, const struct result *result);

struct source_prediction;

/* The same of a kernel that was interpreted: `members`, of run_request_read_answer(), are what came of it, and there is no time
   of a launch. `made`: what was counted for PREDICTION_STAND_IN; NULL: nothing, `why` says why. */
char *result_json_interpreted(const struct experiment *experiment, const struct result *result,
                              const struct json_t *members, const struct source_prediction *made,
                              const char *why);

/* True: the name is that of a member that these may write. */
bool result_json_has_member(const char *name);

/* ---- bandwidth_json.c: counts of bytes or of operations, and the rates that they make with the times ---- */

/* Bytes over microseconds, in 10^9 bytes a second; NaN without a time. */
double result_json_gbps(double bytes, double us);

/* Bytes in sectors come from the counters, or else from the result's prediction. */
void result_json_bandwidth(struct json_writer *json, const char *key, const struct experiment *experiment,
                           const struct result *result, const struct prediction_answer *prediction);

/* How fast a kernel did its arithmetic or its steps, where it is about these instead of bytes. */
void result_json_compute(struct json_writer *json, const char *key, const struct result *result);

/* ---- stability_json.c: whether the device was stable while it was measured, and how it was ---- */

/* Stable or not, with all reasons: the readings of the device, noise above what the request asks for, no
   timing at all. */
void result_json_stability(struct json_writer *json, const char *key, const struct experiment *experiment,
                           const struct result *result);

/* Reads what an executor sent. A member that is missing, or has another form, is not known: another program
   wrote it. */
void result_json_read_stability(struct stability_summary *summary, const json_t *stability);

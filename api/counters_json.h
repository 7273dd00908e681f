/* Hardware counters as JSON: what a result says, and what the counting executor sends. */
#pragma once

#include "api/prediction_json.h"
#include "kernels/experiment.h"
#include "kernels/result.h"

/* The `counters` of a result, or why there are none; `prediction` is the result's, with which they are
   compared. */
void counters_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                         const struct result *result, const struct prediction_answer *prediction);

/* What was counted, as text to be freed by the caller; NULL: nothing was asked for, or no memory. Values
   lose no digit. */
char *counters_json_pack(const struct counters *counters);

/* The same for counters that could not be had, which says why. */
char *counters_json_pack_failure(const char *reason);

/* Reads either. 0; or -1 (ERROR_INVALID), and *counters is empty. */
int counters_json_unpack(struct counters *counters, const char *text, struct error *error);

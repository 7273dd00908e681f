/* struct result -> the members of the result that came from the device: device, launch, timing, bandwidth,
   correctness, and what is missing, with its reason. */
#ifndef COALESCED_API_RESULT_JSON_H
#define COALESCED_API_RESULT_JSON_H

#include <jansson.h>

#include "kernels/result.h"

/* New reference; NULL: no memory. */
json_t *result_to_json(const struct experiment *experiment, const struct result *result);

/* The same as text, to be freed by the caller; NULL: no memory. */
char *result_to_text(const struct experiment *experiment, const struct result *result);

/* A number to seven significant digits; NaN and infinity become null. New reference. */
json_t *number_to_json(double value);

/* {"status", "reason"}: what stands in the place of something that is missing. Status: "unavailable" or
   "not_requested". New reference. */
json_t *missing_to_json(const char *status, const char *reason);

/* How numbers are written everywhere: compact, 15 significant digits. Flags for json_dumps(). */
#define API_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

#endif

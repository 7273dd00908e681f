/* What every file that writes JSON shares: how numbers look, and what stands for something that is missing. */
#ifndef COALESCED_API_JSON_H
#define COALESCED_API_JSON_H

#include <jansson.h>
#include <stdint.h>

/* How numbers are written everywhere: compact, 15 significant digits. Flags for json_dumps(). */
#define API_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* A number to seven significant digits; NaN and infinity become null. New reference. */
json_t *number_to_json(double value);

/* {"status", "reason"}: what stands in the place of something that is missing. Status: "unavailable",
   "not_requested" or "not_applicable". New reference. */
json_t *missing_to_json(const char *status, const char *reason);

/* What a value is, with its article: "an integer". */
const char *json_type_name(const json_t *value);

/* Three numbers as a list. New reference. */
json_t *shape_to_json(const int64_t shape[3]);

#endif

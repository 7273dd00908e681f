/* struct result -> the members of an experiment's result that came from the device: device, launch,
   timing, bandwidth, correctness, and what is missing, with its reason. */
#ifndef COALESCED_API_RESULT_JSON_H
#define COALESCED_API_RESULT_JSON_H

#include "base/json_writer.h"
#include "kernels/result.h"

void result_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                       const struct result *result);

/* The same as text, to be freed by the caller; NULL: no memory. */
char *result_json_text(const struct experiment *experiment, const struct result *result);

#endif

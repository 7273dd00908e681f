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

#endif

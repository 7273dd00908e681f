/* The `stability` of a result as JSON: whether the device was stable while it was measured, and how it
   was. */
#ifndef COALESCED_API_STABILITY_JSON_H
#define COALESCED_API_STABILITY_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/json_writer.h"
#include "kernels/result.h"
#include "kernels/stability.h"

/* Stable or not, with all reasons: the readings of the device, noise above what the request asks for, no
   timing at all. */
void stability_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                          const struct result *result);

/* Reads what an executor sent. A member that is missing, or has another form, is not known: another program
   wrote it. */
void stability_json_read(struct stability_summary *summary, const json_t *stability);

#endif

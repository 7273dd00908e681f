/* The `stability` of a result as JSON: whether the device was stable while it was measured, and how it
   was. */
#ifndef COALESCED_API_STABILITY_JSON_H
#define COALESCED_API_STABILITY_JSON_H

#include "base/json_writer.h"
#include "kernels/result.h"

/* Stable or not, with all reasons: the readings of the device, noise above what the request asks for, no
   timing at all. */
void stability_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                          const struct result *result);

#endif

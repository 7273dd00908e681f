/* How a device is, and whether it was stable, as JSON. */
#ifndef COALESCED_API_LIVE_JSON_H
#define COALESCED_API_LIVE_JSON_H

#include <jansson.h>

#include "kernels/result.h"

/* Each quantity, or why it is not known. New reference; NULL: no memory. */
json_t *live_to_json(const struct live_reading *reading, double age_s);

/* Stable or not with all reasons: what the looks at the device tell, noise above what was asked for, no timing
   at all. New reference; NULL: no memory. */
json_t *stability_to_json(const struct experiment *experiment, const struct result *result);

/* What such an object says. What is not there, or has another form, is not known: it comes from another program. */
void stability_from_json(struct stability_summary *told, const json_t *stability);

#endif

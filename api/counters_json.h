/* Counters in JSON: what a request asks for, and what a result says. */
#ifndef COALESCED_API_COUNTERS_JSON_H
#define COALESCED_API_COUNTERS_JSON_H

#include <jansson.h>

#include "kernels/experiment.h"
#include "kernels/result.h"

/* true, false or a list of names; a wrong one leaves *wanted as it was and says so in *problems. */
void counters_wanted_from_json(struct counters_wanted *wanted, const json_t *value,
                               struct problems *problems);

/* A result's `counters`, held against its `prediction`. New reference. */
json_t *counters_to_json(const struct experiment *experiment, const struct result *result,
                         const json_t *prediction);

#endif

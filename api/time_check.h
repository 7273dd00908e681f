/* A change of a request as JSON and as text, and the sweep that would check it. */
#ifndef COALESCED_API_TIME_CHECK_H
#define COALESCED_API_TIME_CHECK_H

#include <jansson.h>

#include "kernels/time/what_if.h"

enum { TIME_CHECK_VALUE_BYTES = 64 };

/* What the changed field is in that experiment, as a request has it. New reference. */
json_t *time_check_value(const struct what_if *change, const struct experiment *experiment);

/* The same for a sentence: "32x8", "256", "cg". */
void time_check_text(const struct what_if *change, const struct experiment *experiment,
                     char text[TIME_CHECK_VALUE_BYTES]);

/* A body for POST /v1/sweeps: the request, and the request so changed. `device`: its number; -1: names none. New reference. */
json_t *time_check_sweep(const struct what_if *change, const struct experiment *now,
                         const struct calibration *calibration, int64_t device);

#endif

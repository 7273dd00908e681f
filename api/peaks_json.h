/* A device's peaks as JSON: each with its formula and the formula's inputs, or why there is none. */
#ifndef COALESCED_API_PEAKS_JSON_H
#define COALESCED_API_PEAKS_JSON_H

#include <jansson.h>

#include "kernels/facts.h"

/* An object with peak_bandwidth, peak_single_precision and balance_flops_per_byte. New reference; NULL: no
   memory. */
json_t *peaks_to_json(const struct device_facts *facts);

#endif

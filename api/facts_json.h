/* JSON <-> struct device_facts: an executor's hello, /v1/devices, a result's device. */
#ifndef COALESCED_API_FACTS_JSON_H
#define COALESCED_API_FACTS_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "kernels/facts.h"

/* All of it; 0 becomes null where it means "not known". New reference; NULL: no memory. */
json_t *facts_to_json(const struct device_facts *facts);

/* 0, or -1 (ERROR_INVALID) naming the member. */
int facts_from_json(struct device_facts *facts, const json_t *object, struct error *error);

#endif

/* The part of a request that says how is measured. */
#ifndef COALESCED_API_MEASURE_JSON_H
#define COALESCED_API_MEASURE_JSON_H

#include <jansson.h>

#include "kernels/experiment.h"

/* Reads the members that are there; the others stay. What is wrong is added, at "#/measure". */
void measure_read(struct measure *measure, const json_t *value, struct problems *problems);

#endif

/* The labels of a request: names and texts that the service keeps and never reads. */
#ifndef COALESCED_API_LABELS_JSON_H
#define COALESCED_API_LABELS_JSON_H

#include <jansson.h>

#include "kernels/experiment.h"

/* Adds what is wrong with a request's labels; nothing when they can be kept. */
void labels_check(const json_t *labels, struct problems *problems);

#endif

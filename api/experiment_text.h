/* struct experiment -> JSON text. Every submission is written this way, so no tree of values is built for it. */
#ifndef COALESCED_API_EXPERIMENT_TEXT_H
#define COALESCED_API_EXPERIMENT_TEXT_H

#include <jansson.h>

#include "base/buffer.h"
#include "kernels/experiment.h"

/* Appends the request with every default filled in, labels of `request` (may be NULL) carried over. The same
   experiment and labels always give the same bytes. 0, or -1: no memory. */
int experiment_write(struct buffer *out, const struct experiment *experiment, const json_t *request);

/* Appends the choice of a device as JSON, as it was asked for. 0, or -1: no memory. */
int device_choice_write(struct buffer *out, const struct device_choice *choice);

#endif

/* struct experiment -> JSON text. Every submission is written this way, so no tree of values is built for it. */
#ifndef COALESCED_API_EXPERIMENT_TEXT_H
#define COALESCED_API_EXPERIMENT_TEXT_H

#include <jansson.h>

#include "base/json_writer.h"
#include "kernels/experiment.h"

/* Appends the request with every default filled in, labels of `request` (may be NULL) carried over. The same
   experiment and labels always give the same bytes. 0, or -1: no memory. */
int experiment_write(struct buffer *out, const struct experiment *experiment, const json_t *request);

/* True when a request of experiment_write() asks for counters. Scans the text: a tree of values for each run would cost more
   than the whole way to the executor. */
bool experiment_text_wants_counters(const char *request);

/* The same with a writer. */
void experiment_text_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                           const json_t *request);

/* Appends the choice of a device as JSON, as it was asked for. 0, or -1: no memory. */
int device_choice_write(struct buffer *out, const struct device_choice *choice);

#endif

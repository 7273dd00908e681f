/* struct experiment -> JSON text. Every submission is written this way, without a tree of values. */
#ifndef COALESCED_API_EXPERIMENT_TEXT_H
#define COALESCED_API_EXPERIMENT_TEXT_H

#include <jansson.h>

#include "base/json_writer.h"
#include "kernels/experiment.h"

/* Writes the request with every default filled in, and the labels of `request` (may be NULL). The same
   experiment and labels always give the same bytes. */
void experiment_text_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                           const json_t *request);

/* Writes the choice of a device as it was asked for. */
void experiment_text_device(struct json_writer *json, const char *key, const struct device_choice *choice);

/* True when a request of experiment_text_write() asks for counters. Scans the text: a tree of values for each
   run would cost more than the whole way to the executor. */
bool experiment_text_wants_counters(const char *request);

#endif

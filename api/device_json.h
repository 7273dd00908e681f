/* A device as JSON: its facts (an executor's hello, /v1/devices), its peaks, and what is read of it now. */
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/facts.h"
#include "kernels/live.h"

/* Writes all facts as members of the open object; 0 becomes null where it means "not known". */
void device_json_facts(struct json_writer *json, const struct device_facts *facts);

/* Reads them. 0, or -1 (ERROR_INVALID) naming the member. */
int device_json_read_facts(struct device_facts *facts, const json_t *object, struct error *error);

/* Writes peak_bandwidth, peak_single_precision and balance_flops_per_byte as members of the open object:
   each with its formula and the formula's inputs, or why there is none. */
void device_json_peaks(struct json_writer *json, const struct device_facts *facts);

/* A reading, each quantity or why it is not known; age_s: how old it is. */
void device_json_live(struct json_writer *json, const char *key, const struct live_reading *reading,
                      double age_s);

/* A quantity, or why it is not known. */
void device_json_live_value(struct json_writer *json, const char *key, const struct live_value *value);

/* The names of the bits of a throttle mask. */
void device_json_throttle(struct json_writer *json, const char *key, unsigned long long bits);

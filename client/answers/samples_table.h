/* The raw samples of an experiment that was submitted with measure.keep_samples, as text. */
#ifndef COALESCED_CLIENT_ANSWERS_SAMPLES_TABLE_H
#define COALESCED_CLIENT_ANSWERS_SAMPLES_TABLE_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* How many, their least, median and most, and each of them in the order in which it was taken. */
void samples_table_print(const json_t *document, const struct screen *screen);

#endif

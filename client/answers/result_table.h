/* An experiment as text for a terminal, and its exit status. */
#ifndef COALESCED_CLIENT_ANSWERS_RESULT_TABLE_H
#define COALESCED_CLIENT_ANSWERS_RESULT_TABLE_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* Prints its state, times, bandwidth, prediction, occupancy and stability. */
void result_table_print(const json_t *experiment, const struct screen *screen);

/* EXIT_FAILED: it failed, was cancelled, or its output is wrong; EXIT_UNSTABLE: strict, and it is not
   stable. */
int result_table_status(const json_t *experiment, bool strict);

#endif

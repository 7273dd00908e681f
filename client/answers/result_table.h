/* One experiment's answer for a human, and what it means for the exit status. */
#ifndef COALESCED_CLIENT_ANSWERS_RESULT_TABLE_H
#define COALESCED_CLIENT_ANSWERS_RESULT_TABLE_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* As it is now: the headline, times, bytes, occupancy, prediction, what is unstable. */
void result_table_print(const json_t *experiment, const struct screen *screen);

/* EXIT_FAILED: failed, cancelled or its output is wrong; EXIT_UNSTABLE: strict, and it is not stable. */
int result_table_status(const json_t *experiment, bool strict);

#endif

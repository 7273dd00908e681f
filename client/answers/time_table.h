/* How long a launch takes by the model, and what limits it, as an answer's `time` has it. */
#ifndef COALESCED_CLIENT_ANSWERS_TIME_TABLE_H
#define COALESCED_CLIENT_ANSWERS_TIME_TABLE_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* A prediction's: the time, its bounds with a bar each, why, and what one change of the request would bring; where it is
   unavailable the reason. NULL prints nothing. */
void time_table_print(const json_t *time, const struct screen *screen);

/* A result's in two lines or three: what limits, how near the prediction is, why, and whether the counters agree. NULL
   prints nothing. */
void time_table_print_result(const json_t *time, const struct screen *screen);

#endif

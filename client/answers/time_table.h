/* The predicted time of a launch and what limits it: the member `time` of a prediction or a result. */
#ifndef COALESCED_CLIENT_ANSWERS_TIME_TABLE_H
#define COALESCED_CLIENT_ANSWERS_TIME_TABLE_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* Of a prediction: the time, a bar for each bound, the explanation, and the effect of single changes of
   the request; or why there is no value. NULL prints nothing. */
void time_table_print(const json_t *time, const struct screen *screen);

/* Of a result: the limiter, the error of the prediction, the explanation, and whether the counters agree.
   NULL prints nothing. */
void time_table_print_result(const json_t *time, const struct screen *screen);

#endif

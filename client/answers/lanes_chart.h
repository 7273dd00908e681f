/* The memory chart as text: the sectors that one warp accesses, and the sums for each instruction. */
#ifndef COALESCED_CLIENT_ANSWERS_LANES_CHART_H
#define COALESCED_CLIENT_ANSWERS_LANES_CHART_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* answer: the document of POST /v1/predictions with "explain". */
void lanes_chart_print(const json_t *answer, const struct screen *screen);

#endif

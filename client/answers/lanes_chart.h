/* The memory chart as text: what one warp's accesses touch, sector by sector, and the sums by instruction. */
#ifndef COALESCED_CLIENT_ANSWERS_LANES_CHART_H
#define COALESCED_CLIENT_ANSWERS_LANES_CHART_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* answer: of POST /v1/predictions with "explain". */
void lanes_chart_print(const json_t *answer, const struct screen *screen);

#endif

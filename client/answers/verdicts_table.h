/* A comparison as text: what differs between the sides, then a verdict for each point. */
#ifndef COALESCED_CLIENT_ANSWERS_VERDICTS_TABLE_H
#define COALESCED_CLIENT_ANSWERS_VERDICTS_TABLE_H

#include <jansson.h>

#include "client/terminal/screen.h"

void verdicts_table_print(const json_t *comparison, const struct screen *screen);

/* EXIT_WORSE: a point is worse; EXIT_CANNOT_TELL: a point has no verdict, or there is no point. */
int verdicts_table_status(const json_t *comparison);

#endif

/* A comparison: what differs first, then a verdict for each point. */
#ifndef COALESCED_CLIENT_ANSWERS_VERDICTS_TABLE_H
#define COALESCED_CLIENT_ANSWERS_VERDICTS_TABLE_H

#include <jansson.h>

#include "client/terminal/screen.h"

void verdicts_table_print(const json_t *comparison, const struct screen *screen);

/* EXIT_WORSE: some point is worse; EXIT_CANNOT_TELL: for some it cannot be told, or there is no point at all. */
int verdicts_table_status(const json_t *comparison);

#endif

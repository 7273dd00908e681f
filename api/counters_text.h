/* struct counters as text: how what was counted travels from the executor that counts, through the service, to the
   executor that composes the result. */
#ifndef COALESCED_API_COUNTERS_TEXT_H
#define COALESCED_API_COUNTERS_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "kernels/counters.h"

/* A JSON object, to be freed by the caller; NULL: no memory. COUNTERS_NOT_REQUESTED has none. */
char *counters_to_text(const struct counters *counters);

/* Reads such a text. 0, or -1 (ERROR_INVALID) with *counters all zero. */
int counters_from_text(struct counters *counters, const char *text, struct error *error);

/* As counters_to_text(), of counters that are unavailable for that reason. */
char *counters_lost_to_text(const char *reason);

#endif

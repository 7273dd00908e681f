/* What the labels of experiments tell. */
#pragma once

#include "server/store/store.h"

/* Calls each(arg, value, cancelled_ms) for each value of this label that cancelled experiments have, with when the last of
   them was cancelled, milliseconds since 1970. A connection is held meanwhile; a result of each() other than 0 ends the list.
   0; -1: ERROR_STORE. Any thread. */
int store_cancelled_labels(struct store *store, const char *label,
                           int (*each)(void *arg, const char *value, int64_t cancelled_ms), void *arg,
                           struct error *error);

/* What the labels of experiments tell. */
#pragma once

#include "server/store/store.h"

/* Calls each(arg, value, owner, cancelled_ms) for each value of this label and owner ("": nobody) of which experiments were
   cancelled, with when the last of them was, milliseconds since 1970. A connection is held meanwhile; a result of each() other
   than 0 ends the list. Returns 0; 1: each() ended the list; -1: ERROR_STORE. Any thread. */
int store_cancelled_labels(struct store *store, const char *label,
                           int (*each)(void *arg, const char *value, const char *owner, int64_t cancelled_ms),
                           void *arg, struct error *error);

/* What the labels of experiments tell. */
#pragma once

#include <jansson.h>

#include "server/store/store.h"

/* Returns an object of the values of this label that cancelled experiments have: by value, when the last of them was
   cancelled, milliseconds since 1970. The caller releases it. NULL: ERROR_STORE, ERROR_MEMORY. Any thread. */
json_t *store_cancelled_labels(struct store *store, const char *label, struct error *error);

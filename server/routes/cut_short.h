/* Runs that the sides of a comparison took turns at (COMPARISON_TURNS of api/comparison.h), where some were cancelled. */
#pragma once

#include <jansson.h>

#include "server/store/job.h"
#include "server/store/store.h"

/* Returns an object of the turns of which something was cancelled; the caller releases it. NULL: ERROR_STORE, ERROR_MEMORY.
   Any thread. */
json_t *cut_short_read(struct store *store, struct error *error);

/* Whether the experiment is of such turns. What was submitted after the cancellation is a copy, and is not. */
bool cut_short_has(const json_t *cut_short, const struct job *job);

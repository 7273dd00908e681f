/* Leaves runs out of a comparison: where some of the further runs that were submitted together were cancelled, the others do
   not count either. Runs that belong together have the same value of the label COMPARISON_TURNS (api/comparison.h). */
#pragma once

#include <jansson.h>

#include "server/store/job.h"
#include "server/store/store.h"

/* Returns {label value and owner: when the last experiment with both was cancelled, ms since 1970}; the caller frees it with
   json_decref(). Cancelled experiments that were removed for good are not known. NULL: ERROR_STORE, ERROR_MEMORY. Any
   thread. */
json_t *cut_short_read(struct store *store, struct error *error);

/* Whether an experiment of the same owner with the same value of the label was cancelled after this one was submitted.
   Experiments submitted later, e.g. by repeating this request, return false. */
bool cut_short_has(const json_t *cut_short, const struct job *job);

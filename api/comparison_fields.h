/* What the request of an experiment is to a comparison: whether a side wants it, and which point it is. */
#ifndef COALESCED_API_COMPARISON_FIELDS_H
#define COALESCED_API_COMPARISON_FIELDS_H

#include "api/comparison_request.h"

/* Has that request of an experiment the values of the side's `where`? */
bool comparison_fields_match(const struct comparison_side *side, const json_t *experiment);

/* The fields that identify its point. New reference; NULL: no memory. */
json_t *comparison_fields(const struct comparison_request *request, const json_t *asked);

/* What is shown of it where the sides differ: the fields of but_for, and how it is measured, members of
   objects as "measure.noise". New reference; NULL: no memory. */
json_t *comparison_fields_beside(const struct comparison_request *request, const json_t *asked);

#endif

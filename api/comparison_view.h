/* How a comparison looks in an answer. */
#ifndef COALESCED_API_COMPARISON_VIEW_H
#define COALESCED_API_COMPARISON_VIEW_H

#include "api/comparison.h"
#include "base/json_writer.h"

/* All but the points. Leaves the object open, and in it the array "points". */
void comparison_view_open(struct json_writer *json, const char *key, const struct comparison *comparison);

/* One of them. */
void comparison_view_point(struct json_writer *json, const char *key, const struct comparison *comparison,
                           const struct comparison_point *point);

#endif

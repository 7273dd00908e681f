/* How a comparison looks on the wire. Every function appends to `out` and returns 0, or -1: no memory. */
#ifndef COALESCED_API_COMPARISON_VIEW_H
#define COALESCED_API_COMPARISON_VIEW_H

#include "api/comparison.h"
#include "base/buffer.h"

/* All but the points: leaves the object open behind "points":[, for the points, and "]}\n". */
int comparison_view(struct buffer *out, const struct comparison *comparison);
int comparison_view_point(struct buffer *out, const struct comparison *comparison,
                          const struct comparison_point *point);

#endif

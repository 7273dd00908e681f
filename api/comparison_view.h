/* How a comparison looks on the wire. Every function appends to `out` and returns 0, or -1: no memory. */
#ifndef COALESCED_API_COMPARISON_VIEW_H
#define COALESCED_API_COMPARISON_VIEW_H

#include "api/comparison.h"
#include "base/buffer.h"

/* All but the points: leaves the object open behind "points":[, for the points, and "]}\n". */
int comparison_view(struct buffer *out, const struct comparison *comparison);
int comparison_view_point(struct buffer *out, const struct comparison *comparison,
                          const struct comparison_point *point);

/* As a table: the names of its columns behind the fixed ones are the fields of all points. New reference; NULL: no
   memory. */
json_t *comparison_columns(const struct comparison *comparison);
int comparison_csv_header(struct buffer *out, const json_t *columns);
int comparison_csv_row(struct buffer *out, const json_t *columns, const struct comparison_point *point);

#endif

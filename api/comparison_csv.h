/* A comparison as CSV: a row for each point, with the verdict first and then the fields of the requests. */
#ifndef COALESCED_API_COMPARISON_CSV_H
#define COALESCED_API_COMPARISON_CSV_H

#include <jansson.h>

#include "api/comparison.h"
#include "base/buffer.h"

/* The fields of all points, as keys. Released by the caller; NULL: no memory. */
json_t *comparison_csv_columns(const struct comparison *comparison);

/* Each appends a line with its end. `columns` are comparison_csv_columns(). 0, or -1: no memory. */
int comparison_csv_header(struct buffer *out, const json_t *columns);
int comparison_csv_row(struct buffer *out, const json_t *columns, const struct comparison_point *point);

#endif

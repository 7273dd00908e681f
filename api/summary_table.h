/* The points of a sweep as a short table: a row a point, a column for each axis and for what is asked for most. */
#ifndef COALESCED_API_SUMMARY_TABLE_H
#define COALESCED_API_SUMMARY_TABLE_H

#include <jansson.h>

#include "api/columns.h"
#include "api/point_summary.h"

struct summary_columns {
    int count;
    const char *names[COLUMNS_MAX];
    json_t *texts; /* whose names the axes' are */
};

/* `values` is some point's JSON object: its members are the axes. 0, then to be cleared; or -1: no memory. */
int summary_columns_make(struct summary_columns *columns, const char *values);
void summary_columns_clear(struct summary_columns *columns);

/* Appends the row of that point, of which `point` is some run; its columns are places among summary_columns. 0, or -1: no
   memory. */
int summary_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
                const struct view_point *point);

#endif

/* The points of a sweep as a short table: a row a point, with its index, a column for each axis, and the
   summary's figures. */
#ifndef COALESCED_API_SUMMARY_TABLE_H
#define COALESCED_API_SUMMARY_TABLE_H

#include <jansson.h>

#include "api/columns.h"
#include "api/point_summary.h"

/* All its columns: a column's place in struct columns is an index of names. */
struct summary_table {
    int count;
    const char *names[COLUMNS_MAX];
    json_t *values; /* holds the names of the axes */
};

/* `values` is any point's JSON object: its members are the axes. 0, then to be cleared; or -1: no memory. */
int summary_table_make(struct summary_table *table, const char *values);
void summary_table_clear(struct summary_table *table);

/* Appends the row of that point, of which `point` is any run; `columns` are those of its summary_table. 0,
   or -1: no memory. */
int summary_table_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
                      const struct view_point *point);

#endif

/* Tables, RFC 4180: of experiments, a row each with the columns of the table of figures (figures.h); and of a
   sweep's summary. A cell is empty where its row has no such thing. */
#pragma once

#include <jansson.h>

#include "api/point_summary.h"
#include "base/buffer.h"

#define CSV_MEDIA_TYPE "text/csv"

/* The columns of a table that a request asks for: "offset,hot_median_us". */
enum { COLUMNS_MAX = FIGURES_MAX, COLUMNS_DETAIL_BYTES = 256 };

struct columns {
    int count;
    short at[COLUMNS_MAX]; /* indices of all columns, in the order that was asked for */
};

/* `names`: of all columns, at most COLUMNS_MAX; a text that is NULL or empty asks for all in their order.
   0; or -1: what is wrong, with the name that may have been meant, is in `detail`. */
int columns_read(struct columns *columns, const char *text, const char *const *names, int name_count,
                 char detail[COLUMNS_DETAIL_BYTES]);

/* Appends the table's first line. 0, or -1: no memory. */
int columns_header(struct buffer *out, const struct columns *columns, const char *const *names);

/* ---- a row an experiment ---- */

/* Which columns a request asks for, as columns_read(). */
int csv_columns(struct columns *columns, const char *text, char detail[COLUMNS_DETAIL_BYTES]);

/* Each appends a line with its end, of those columns; 0, or -1: no memory. */
int csv_header(struct buffer *out, const struct columns *columns);

/* An index below 0 leaves that cell empty. Columns of a sweep_table are taken too. */
int csv_row(struct buffer *out, const struct columns *columns, const struct view_point *point);

/* ---- a sweep: its summary is a row a point, with its index, its axes, and the summary's figures; its runs are rows as above,
   with the axes besides that no figure has. Scalar arguments of a user's kernel count as axes. A table of experiments of one
   kernel has such columns too; there the values are the request's members ---- */

/* All its columns: a column's place in struct columns is an index of names. */
struct sweep_table {
    int count;
    const char *names[COLUMNS_MAX];
    json_t *values; /* holds the names of the axes */
};

/* `values` is any point's JSON object: its members are the axes. 0, then to be cleared; or -1: no memory. */
int sweep_table_make(struct sweep_table *table, bool summary, const char *values);
void sweep_table_clear(struct sweep_table *table);

/* Appends the row of that point, of which `point` is any run; `columns` are those of its sweep_table. 0,
   or -1: no memory. */
int sweep_table_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
                    const struct view_point *point);

/* Experiments as a table: RFC 4180, a row an experiment, the columns of the table of figures (figures.h).
   A cell is empty where its row has no such thing. */
#ifndef COALESCED_API_CSV_H
#define COALESCED_API_CSV_H

#include "api/columns.h"
#include "api/sweep_view.h"

#define CSV_MEDIA_TYPE "text/csv"

/* Which columns a request asks for, as columns_read(). */
int csv_columns(struct columns *columns, const char *text, char detail[COLUMNS_DETAIL_BYTES]);

/* Each appends a line with its end, of those columns; 0, or -1: no memory. */
int csv_header(struct buffer *out, const struct columns *columns);

/* An index below 0 leaves that cell empty. */
int csv_row(struct buffer *out, const struct columns *columns, const struct view_point *point);

/* A cell's text, in quotes where it needs them. */
void csv_text(struct buffer *out, const char *text, size_t length);

#endif

/* Experiments as a table: RFC 4180, a row an experiment, the same columns whatever was asked for, their units in
   their names. A cell is empty where its row has no such thing. */
#ifndef COALESCED_API_CSV_H
#define COALESCED_API_CSV_H

#include "api/views.h"

#define CSV_MEDIA_TYPE "text/csv"

/* Each appends a line with its end; 0, or -1: no memory. */
int csv_header(struct buffer *out);

/* An index below 0 leaves that cell empty. */
int csv_row(struct buffer *out, const struct view_point *point);

#endif

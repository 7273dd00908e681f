/* Which columns of a table somebody asked for: "offset,hot_median_us". */
#ifndef COALESCED_API_COLUMNS_H
#define COALESCED_API_COLUMNS_H

#include "base/buffer.h"

enum { COLUMNS_MAX = 256, COLUMNS_DETAIL_BYTES = 256 };

struct columns {
    int count;
    short at[COLUMNS_MAX]; /* their places among all columns, in the order of the table */
};

/* NULL or empty: all of `names`, of which there are at most COLUMNS_MAX, in their order. 0; or -1: what is wrong, with
   what may have been meant, is in `detail`. */
int columns_read(struct columns *columns, const char *text, const char *const *names, int name_count,
                 char detail[COLUMNS_DETAIL_BYTES]);

/* The table's first line. 0, or -1: no memory. */
int columns_header(struct buffer *out, const struct columns *columns, const char *const *names);

#endif

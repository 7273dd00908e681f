/* The columns of a table that a request asks for: "offset,hot_median_us". */
#ifndef COALESCED_API_COLUMNS_H
#define COALESCED_API_COLUMNS_H

#include "base/buffer.h"

enum { COLUMNS_MAX = 256, COLUMNS_DETAIL_BYTES = 256 };

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

#endif

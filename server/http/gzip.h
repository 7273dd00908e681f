/* Bodies for clients that take Content-Encoding: gzip. */
#ifndef COALESCED_SERVER_HTTP_GZIP_H
#define COALESCED_SERVER_HTTP_GZIP_H

#include <stdbool.h>

#include "base/buffer.h"

enum { GZIP_MIN_BYTES = 1024 }; /* what is smaller is not worth it */

/* One stream; some 50 kB. NULL: no memory. */
struct gzip;
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip);

/* Compresses the input, which ends with this piece or not, and appends what comes of it. 0, or -1: no memory. */
int gzip_add(struct gzip *gzip, const struct buffer *in, bool end, struct buffer *out);

/* The whole of it at once; with more time and some 300 kB of memory where it is kept and sent again. */
int gzip_whole(const struct buffer *in, bool kept, struct buffer *out);

#endif

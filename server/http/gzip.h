/* Compression of bodies for clients that accept gzip. */
#ifndef COALESCED_SERVER_HTTP_GZIP_H
#define COALESCED_SERVER_HTTP_GZIP_H

#include <stdbool.h>

#include "base/buffer.h"

enum { GZIP_MIN_BYTES = 1024 }; /* smaller bodies are not compressed */

/* A stream, which takes about 50 kB. NULL: no memory. */
struct gzip;
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip);

/* Compresses the input and appends the output; `end`: the stream ends with this input. 0, or -1: no memory.
   */
int gzip_add(struct gzip *gzip, const struct buffer *in, bool end, struct buffer *out);

/* Compresses a whole body. `cached`: takes more time and 300 kB of memory, for a smaller body. 0, or -1: no
   memory. */
int gzip_whole(const struct buffer *in, bool cached, struct buffer *out);

#endif

/* Compression by zlib. */
#include "server/http/gzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_FORMAT = 16, OUTPUT_BYTES = 8 << 10 }; /* 16 makes zlib write gzip's header and trailer */

/* Replies that are sent once use a window of 8 kB and little memory: rows of a table resemble the rows
   shortly before. Cached replies are compressed once, as well as possible. */
static const struct effort {
    int level, window_bits, memory_level;
} sent_once = {3, 13, 5}, cached_well = {9, 15, 8};

struct gzip {
    z_stream state;
};

static struct gzip *gzip_with(const struct effort *effort)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip && deflateInit2(&gzip->state, effort->level, Z_DEFLATED, effort->window_bits + GZIP_FORMAT,
                             effort->memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

struct gzip *gzip_new(void)
{
    return gzip_with(&sent_once);
}

void gzip_free(struct gzip *gzip)
{
    if (gzip)
        deflateEnd(&gzip->state);
    free(gzip);
}

int gzip_add(struct gzip *gzip, const struct buffer *in, bool end, struct buffer *out)
{
    z_stream *state = &gzip->state;
    unsigned char output[OUTPUT_BYTES];
    state->next_in = (unsigned char *)in->data;
    state->avail_in = (unsigned)in->size;
    do {
        state->next_out = output;
        state->avail_out = sizeof output;
        if (deflate(state, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
            return -1;
        buffer_append(out, output, sizeof output - state->avail_out);
    } while (state->avail_out == 0);
    return out->failed ? -1 : 0;
}

int gzip_whole(const struct buffer *in, bool cached, struct buffer *out)
{
    struct gzip *gzip = gzip_with(cached ? &cached_well : &sent_once);
    int failed = gzip ? gzip_add(gzip, in, true, out) : -1;
    gzip_free(gzip);
    return failed;
}

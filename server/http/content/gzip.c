#include "server/http/content/gzip.h"

#include <stdlib.h>
#include <zlib.h>

/* A window of 8 kB and little memory: rows repeat what stood a few rows before. 16: gzip's own head and end. */
enum { LEVEL = 3, WINDOW_BITS = 13, MEMORY_LEVEL = 5, GZIP_FORMAT = 16, ROOM = 8 << 10 };

struct gzip {
    z_stream state;
};

struct gzip *gzip_new(void)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip && deflateInit2(&gzip->state, LEVEL, Z_DEFLATED, WINDOW_BITS + GZIP_FORMAT, MEMORY_LEVEL,
                             Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
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
    unsigned char room[ROOM];
    state->next_in = (unsigned char *)in->data;
    state->avail_in = (unsigned)in->size;
    do {
        state->next_out = room;
        state->avail_out = sizeof room;
        if (deflate(state, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
            return -1;
        buffer_append(out, room, sizeof room - state->avail_out);
    } while (state->avail_out == 0);
    return out->failed ? -1 : 0;
}

int gzip_whole(const struct buffer *in, struct buffer *out)
{
    struct gzip *gzip = gzip_new();
    int failed = gzip ? gzip_add(gzip, in, true, out) : -1;
    gzip_free(gzip);
    return failed;
}

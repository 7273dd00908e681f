/* Bodies that are compressed, and bodies that are made piece by piece in the worker pool while the
   connection is suspended, each piece after the one before was sent. A client that does not read costs one
   piece of memory and no thread. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/http/peer.h"
#include "server/http/reply.h"

enum {
    PIECE_BYTES = 32 << 10,
    BLOCK_BYTES = 4 << 10,      /* libmicrohttpd's buffer for a body */
    UNSENT_BYTES = 128 << 10,   /* TCP_NOTSENT_LOWAT: bytes that the kernel holds and has not sent */
    COMPRESSED_MIN_BYTES = 400, /* compression saves little on shorter bodies */
    GZIP_FORMAT = 16,           /* makes zlib write gzip's header and trailer */
};

/* A piece ends at PIECE_BYTES or after this time, so that streams share the threads of the worker pool. */
static const int64_t piece_ns = 5000000;

/* ---- compression ---- */

/* Replies that are sent once use a window of 8 kB and little memory, about 50 kB: rows of a table resemble
   the rows shortly before. Cached replies are compressed once, as well as possible, with 300 kB. -1: no
   memory. */
static int gzip_begin(z_stream *gzip, bool cached)
{
    int level = cached ? 9 : 3, window_bits = cached ? 15 : 13, memory_level = cached ? 8 : 5;
    return deflateInit2(gzip, level, Z_DEFLATED, window_bits + GZIP_FORMAT, memory_level,
                        Z_DEFAULT_STRATEGY) == Z_OK
               ? 0
               : -1;
}

/* Compresses the input and appends the output; `end`: the stream ends with this input. -1: no memory. */
static int gzip_add(z_stream *gzip, const struct buffer *in, bool end, struct buffer *out)
{
    unsigned char output[8 << 10];
    gzip->next_in = (unsigned char *)in->data;
    gzip->avail_in = (unsigned)in->size;
    do {
        gzip->next_out = output;
        gzip->avail_out = sizeof output;
        if (deflate(gzip, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
            return -1;
        buffer_append(out, output, sizeof output - gzip->avail_out);
    } while (gzip->avail_out == 0);
    return out->failed ? -1 : 0;
}

bool reply_compress(const struct request *request, struct buffer *body)
{
    struct buffer coded = {0};
    z_stream gzip = {0};
    if (!request->gzip || body->failed || body->size < COMPRESSED_MIN_BYTES)
        return false;
    bool cached = request->match.route && request->match.route->flags & ROUTE_CACHED;
    bool failed = gzip_begin(&gzip, cached) < 0 || gzip_add(&gzip, body, true, &coded) < 0;
    deflateEnd(&gzip);
    buffer_free(failed ? &coded : body);
    if (!failed)
        *body = coded;
    return !failed;
}

/* ---- pieces ---- */

struct reply_stream {
    struct worker_task task; /* first: a task is cast to its stream */
    struct http *http;       /* the stream may outlive its peer */
    struct peer *peer;
    reply_more *more;
    void *arg;
    void (*release)(void *arg);
    bool compressed;
    z_stream gzip;
    struct buffer raw, piece; /* raw: before compression */
    size_t sent;              /* bytes of the piece */
    uint64_t *sent_bytes;     /* of all pieces; the request's count */
    bool ended, failed;
};

static void stream_release(struct worker_task *task)
{
    struct reply_stream *stream = (struct reply_stream *)task;
    stream->release(stream->arg);
    deflateEnd(&stream->gzip);
    buffer_free(&stream->raw);
    buffer_free(&stream->piece);
    free(stream);
}

/* Frees in the worker pool: there may be much to free, and this thread has other connections to serve. */
static void stream_free(void *arg)
{
    struct reply_stream *stream = arg;
    stream->task.run = stream_release;
    if (!peers_run(stream->http, &stream->task))
        stream_release(&stream->task);
}

static int piece_make(struct reply_stream *stream, struct error *error)
{
    struct buffer *out = stream->compressed ? &stream->raw : &stream->piece;
    int64_t until_ns = clock_monotonic_ns() + piece_ns;
    stream->sent = stream->piece.size = stream->raw.size = 0;
    do {
        int more = stream->more(stream->arg, out, error);
        if (more < 0)
            return -1;
        stream->ended = more == 0;
    } while (!stream->ended && out->size < PIECE_BYTES && clock_monotonic_ns() < until_ns);
    if (out->failed ||
        (stream->compressed && gzip_add(&stream->gzip, &stream->raw, stream->ended, &stream->piece) < 0))
        return error_set(error, ERROR_MEMORY, "there is no memory for the answer");
    return 0;
}

static void piece_run(struct worker_task *task)
{
    struct reply_stream *stream = (struct reply_stream *)task;
    struct error error = {0};
    stream->failed = piece_make(stream, &error) < 0;
    if (stream->failed)
        log_warning("a list was not sent to its end: %s", error.text);
    peer_resume(stream->peer, PEER_SENDING);
}

/* libmicrohttpd's content reader. It returns 0 only when the connection is suspended, since it is called
   again at once otherwise. */
static ssize_t stream_read(void *arg, uint64_t position, char *block, size_t size)
{
    (void)position;
    struct reply_stream *stream = arg;
    if (stream->sent == stream->piece.size) {
        if (stream->ended && !stream->failed)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (stream->failed || !peer_suspend(stream->peer, PEER_SENDING, &stream->task))
            return MHD_CONTENT_READER_END_WITH_ERROR;
        return 0;
    }
    size_t count = stream->piece.size - stream->sent;
    count = count < size ? count : size;
    memcpy(block, stream->piece.data + stream->sent, count);
    stream->sent += count;
    *stream->sent_bytes += count;
    return (ssize_t)count;
}

enum handled reply_stream(struct request *request, reply_more *more, void *arg, void (*release)(void *arg))
{
    bool allowed = peer_begin_stream(request->peer, false);
    struct reply_stream *stream = allowed ? calloc(1, sizeof *stream) : NULL;
    struct MHD_Response *response = NULL;
    struct error error = {0};
    int unsent = UNSENT_BYTES;
    if (!stream)
        release(arg);
    if (!allowed)
        return reply_problem(
            request, PROBLEM_UNAVAILABLE,
            "a quarter of the connections that your address may have wait, or are being sent "
            "something, with this token: read those first");
    if (!stream)
        return reply_no_memory(request);
    *stream = (struct reply_stream){.task = {.run = piece_run, .client = request_client(request)},
                                    .http = request->http,
                                    .peer = request->peer,
                                    .compressed = request->gzip && !request->head,
                                    .sent_bytes = &request->bytes,
                                    .more = more,
                                    .arg = arg,
                                    .release = release};
    /* Fails on a Unix socket. */
    setsockopt(request->peer->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    if ((!stream->compressed || gzip_begin(&stream->gzip, false) == 0) && piece_make(stream, &error) == 0)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, stream_read, stream,
                                                     stream_free);
    if (!response) {
        stream_release(&stream->task);
        return error.kind != ERROR_NONE ? reply_error(request, &error) : reply_no_memory(request);
    }
    /* libmicrohttpd would send the end of a chunked body even for HEAD, so the connection is closed
       instead. */
    if (request->head)
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    request->bytes = 0;
    reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    return reply_send(request, MHD_HTTP_OK, request->type, response, request->gzip);
}

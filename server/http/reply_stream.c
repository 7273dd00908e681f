/* Makes the pieces of a stream in the worker pool while the connection is suspended. */
#include "server/http/reply_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/http/gzip.h"
#include "server/http/peer.h"
#include "server/http/request.h"

enum {
    PIECE_BYTES = 32 << 10,
    BLOCK_BYTES = 4 << 10,   /* libmicrohttpd's buffer for a body */
    UNSENT_BYTES = 128 << 10 /* TCP_NOTSENT_LOWAT: bytes that the kernel holds and has not sent */
};

/* A piece ends at PIECE_BYTES or after this time, so that streams share the threads of the worker pool. */
static const int64_t piece_ns = 5000000;

struct reply_stream {
    struct worker_task task; /* first: a task is cast to its stream */
    struct http *http;
    struct peer *peer;
    reply_stream_more more;
    void *arg;
    void (*release)(void *arg);
    struct gzip *gzip;        /* NULL: not compressed */
    struct buffer raw, piece; /* raw: before compression */
    size_t sent;              /* bytes of the piece */
    uint64_t *sent_bytes;     /* of all pieces; the request's count */
    bool ended, failed;
};

static void stream_release(struct worker_task *task)
{
    struct reply_stream *stream = (struct reply_stream *)task;
    stream->release(stream->arg);
    gzip_free(stream->gzip);
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
    struct buffer *out = stream->gzip ? &stream->raw : &stream->piece;
    int64_t until_ns = clock_monotonic_ns() + piece_ns;
    stream->sent = stream->piece.size = stream->raw.size = 0;
    do {
        int more = stream->more(stream->arg, out, error);
        if (more < 0)
            return -1;
        stream->ended = more == 0;
    } while (!stream->ended && out->size < PIECE_BYTES && clock_monotonic_ns() < until_ns);
    if (out->failed ||
        (stream->gzip && gzip_add(stream->gzip, &stream->raw, stream->ended, &stream->piece) < 0))
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
    peer_resume_sending(stream->http, stream->peer);
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
        if (stream->failed || !peer_suspend_stream(stream->http, stream->peer, &stream->task))
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

struct MHD_Response *reply_stream_start(struct request *request, reply_stream_more more, void *arg,
                                        void (*release)(void *arg), struct error *error)
{
    struct reply_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        release(arg);
        error_set(error, ERROR_MEMORY, "there is no memory for the answer");
        return NULL;
    }
    *stream = (struct reply_stream){.task = {.run = piece_run, .client = request_client(request)},
                                    .http = request->http,
                                    .peer = request->peer,
                                    .sent_bytes = &request->bytes,
                                    .more = more,
                                    .arg = arg,
                                    .release = release};
    struct MHD_Response *response = NULL;
    int unsent = UNSENT_BYTES;
    /* Fails on a Unix socket. */
    setsockopt(request->peer->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    if (request->gzip && !request->head && !(stream->gzip = gzip_new()))
        error_set(error, ERROR_MEMORY, "there is no memory for the answer");
    else if (piece_make(stream, error) == 0)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, stream_read, stream,
                                                     stream_free);
    if (!response) {
        stream_release(&stream->task);
        error_set(error, ERROR_MEMORY, "there is no memory for the answer");
        return NULL;
    }
    /* libmicrohttpd would send the end of a chunked body even for HEAD, so the connection is closed instead.
       */
    if (request->head)
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

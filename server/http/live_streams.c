/* The thread sleeps in epoll_wait(). It is woken by edges of sockets that take bytes again or fail, by
   live_streams_wake(), and each second to send comments and to close connections that are not read. */
#include "server/http/live_streams.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "server/http/peer.h"
#include "server/http/reply.h"

enum {
    EDGES = 64,
    TICK_MS = 1000,
    PIECES = 8, /* of one stream in a round */
    READ_TIMEOUT_S = 30,
    SEND_BUFFER_BYTES = 64 << 10,
    BLOCK_BYTES = 1024, /* libmicrohttpd's buffer for a body, which is not used */
    PAUSE_FACTOR = 9    /* a round over all streams is followed by a pause of so many times its duration */
};
static const int64_t ms_ns = 1000000, pause_min_ns = 10000000, pause_max_ns = 1000000000,
                     second_ns = 1000000000;

/* One stream. Used by its connection's thread until stream_add(), then by the thread of live streams
   until that resumes the connection. */
struct live_stream {
    struct live_streams *streams;
    struct peer *peer;
    reply_more *more;
    void *arg;
    void (*release)(void *arg);
    uint64_t *sent_bytes; /* the request's count */
    bool begun;
    LIST_ENTRY(live_stream) link;
    bool ends, failed;
    struct buffer rest; /* bytes that the socket has not taken yet */
    int64_t sent_ns;    /* when the socket took bytes last */
};

LIST_HEAD(live_stream_list, live_stream);

struct live_streams {
    int64_t comment_ns;
    int poll, wake;
    pthread_t thread;
    atomic_int count;
    atomic_bool woken;
    bool joined;
    /* used by the thread alone */
    struct buffer scratch;
    struct live_stream_list all;
    pthread_mutex_t lock; /* guards what follows */
    struct live_stream_list arrived;
    atomic_bool ending; /* no stream arrives any more; read by the thread without the lock */
};

/* ---- one stream ---- */

/* Hands the connection back to libmicrohttpd, whose second call of stream_read() closes it. */
static void stream_hand_back(struct live_stream *stream)
{
    LIST_REMOVE(stream, link);
    epoll_ctl(stream->streams->poll, EPOLL_CTL_DEL, stream->peer->socket, NULL);
    buffer_free(&stream->rest);
    atomic_fetch_sub(&stream->streams->count, 1);
    peer_resume(stream->peer, PEER_SENDING); /* the stream may be freed from here on */
}

/* Sends what the socket takes without blocking; the rest is appended to stream->rest. */
static void stream_send(struct live_stream *stream, const char *bytes, size_t size)
{
    ssize_t count = send(stream->peer->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    size_t sent = count > 0 ? (size_t)count : 0;
    if (count < 0 && errno != EAGAIN && errno != EINTR)
        stream->failed = true;
    *stream->sent_bytes += sent;
    if (sent)
        stream->sent_ns = clock_monotonic_ns();
    if (bytes == stream->rest.data)
        buffer_consume(&stream->rest, sent);
    else if (sent < size && buffer_append(&stream->rest, bytes + sent, size - sent) < 0)
        stream->failed = true;
    if (!stream->rest.size)
        buffer_free(&stream->rest);
}

/* Makes and sends pieces while there is something new and the socket takes it, PIECES at most. */
static void stream_refill(struct live_stream *stream)
{
    struct live_streams *streams = stream->streams;
    struct buffer *scratch = &streams->scratch;
    int pieces = 0;
    for (; pieces < PIECES && !stream->rest.size && !stream->ends && !stream->failed; pieces++) {
        struct error error = {0};
        scratch->size = 0;
        int more = stream->more(stream->arg, scratch, &error);
        stream->ends = more == 0;
        stream->failed = more < 0 || scratch->failed;
        if (more < 0)
            log_info("%s is cut off a stream: %s", stream->peer->remote, error.text);
        if (scratch->failed)
            buffer_free(scratch);
        if (stream->failed || !scratch->size)
            break;
        stream_send(stream, scratch->data, scratch->size);
    }
    if (pieces == PIECES)
        atomic_store(&streams->woken, true); /* there may be more, for the next round */
}

/* Sends what there is and hands the stream back when it has ended, failed or is not read. The stream may be
   freed then. */
static void stream_serve(struct live_stream *stream)
{
    int64_t now = clock_monotonic_ns();
    if (stream->rest.size)
        stream_send(stream, stream->rest.data, stream->rest.size);
    if (stream->rest.size && now - stream->sent_ns > READ_TIMEOUT_S * second_ns) {
        stream->failed = true;
        log_info("%s is cut off a stream: it has read nothing for %d s", stream->peer->remote,
                 READ_TIMEOUT_S);
    }
    stream_refill(stream);
    if (!stream->rest.size && !stream->failed && now - stream->sent_ns >= stream->streams->comment_ns)
        stream_send(stream, ":\n\n", 3);
    if (stream->failed || (stream->ends && !stream->rest.size))
        stream_hand_back(stream);
}

/* ---- the thread ---- */

static void arrivals_serve(struct live_streams *streams)
{
    for (;;) {
        pthread_mutex_lock(&streams->lock);
        struct live_stream *stream = LIST_FIRST(&streams->arrived);
        if (stream)
            LIST_REMOVE(stream, link);
        pthread_mutex_unlock(&streams->lock);
        if (!stream)
            return;
        LIST_INSERT_HEAD(&streams->all, stream, link);
        struct epoll_event edge = {.events = EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = stream};
        stream->failed = epoll_ctl(streams->poll, EPOLL_CTL_ADD, stream->peer->socket, &edge) < 0;
        stream_serve(stream);
    }
}

/* A client that has closed its sending side may be gone: sending a comment shows it. */
static void edge_handle(const struct epoll_event *edge)
{
    struct live_stream *stream = edge->data.ptr;
    if (edge->events & (EPOLLERR | EPOLLHUP))
        stream->failed = true;
    else if (edge->events & EPOLLRDHUP && !stream->rest.size)
        stream_send(stream, ":\n\n", 3);
    if (stream->failed || stream->rest.size)
        stream_serve(stream);
}

static void *live_streams_main(void *arg)
{
    struct live_streams *streams = arg;
    int64_t round_ns = 0;                                     /* the next round does not begin earlier */
    int64_t tick_ns = clock_monotonic_ns() + TICK_MS * ms_ns; /* nor later */
    while (!atomic_load(&streams->ending)) {
        struct epoll_event edges[EDGES];
        bool news = atomic_load(&streams->woken);
        int64_t now = clock_monotonic_ns(), until = news ? round_ns : tick_ns;
        if (now >= until) {
            atomic_store(&streams->woken, false);
            for (struct live_stream *stream = LIST_FIRST(&streams->all), *next; stream; stream = next) {
                next = LIST_NEXT(stream, link);
                stream_serve(stream);
            }
            int64_t end = clock_monotonic_ns(), pause = PAUSE_FACTOR * (end - now);
            pause = pause < pause_min_ns ? pause_min_ns : pause > pause_max_ns ? pause_max_ns : pause;
            round_ns = end + pause;
            tick_ns = end + TICK_MS * ms_ns;
            continue;
        }
        int count = epoll_wait(streams->poll, edges, EDGES, (int)((until - now) / ms_ns) + 1);
        for (int i = 0; i < count; i++) {
            eventfd_t number;
            if (edges[i].data.ptr)
                edge_handle(&edges[i]);
            else
                eventfd_read(streams->wake, &number);
        }
        arrivals_serve(streams);
    }
    arrivals_serve(streams);
    while (!LIST_EMPTY(&streams->all))
        stream_hand_back(LIST_FIRST(&streams->all));
    return NULL;
}

int live_streams_start(struct live_streams **out, double comment_s, struct error *error)
{
    struct live_streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return error_set(error, ERROR_MEMORY, "no memory for live streams");
    streams->comment_ns = (int64_t)(comment_s * 1e9);
    pthread_mutex_init(&streams->lock, NULL);
    streams->poll = epoll_create1(EPOLL_CLOEXEC);
    streams->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event edge = {.events = EPOLLIN};
    if (streams->poll < 0 || streams->wake < 0 ||
        epoll_ctl(streams->poll, EPOLL_CTL_ADD, streams->wake, &edge) < 0)
        error_set_errno(error, errno, "cannot make what wakes live streams");
    else if (thread_start(&streams->thread, "live-streams", live_streams_main, streams, error) == 0) {
        *out = streams;
        return 0;
    }
    streams->joined = true;
    live_streams_free(streams);
    return -1;
}

void live_streams_wake(struct live_streams *streams)
{
    if (streams && atomic_load(&streams->count) && !atomic_exchange(&streams->woken, true))
        eventfd_write(streams->wake, 1);
}

void live_streams_end(struct live_streams *streams)
{
    if (!streams || streams->joined)
        return;
    pthread_mutex_lock(&streams->lock);
    atomic_store(&streams->ending, true);
    pthread_mutex_unlock(&streams->lock);
    eventfd_write(streams->wake, 1);
    pthread_join(streams->thread, NULL);
    streams->joined = true;
}

void live_streams_free(struct live_streams *streams)
{
    if (!streams)
        return;
    live_streams_end(streams);
    if (streams->poll >= 0)
        close(streams->poll);
    if (streams->wake >= 0)
        close(streams->wake);
    pthread_mutex_destroy(&streams->lock);
    buffer_free(&streams->scratch);
    free(streams);
}

/* ---- the connection's thread ---- */

static void stream_free(void *arg)
{
    struct live_stream *stream = arg;
    stream->release(stream->arg);
    free(stream);
}

/* Suspends the connection and hands the stream to the thread. False: the server ends, and nothing was done.
   */
static bool stream_add(struct live_stream *stream)
{
    struct live_streams *streams = stream->streams;
    int bytes = SEND_BUFFER_BYTES, on = 1;
    stream->sent_ns = clock_monotonic_ns();
    /* Events are sent without delay, and a client that does not read occupies little of the kernel's memory.
       The second call fails on a Unix socket. */
    setsockopt(stream->peer->socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(stream->peer->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_mutex_lock(&streams->lock);
    bool added = !atomic_load(&streams->ending) && peer_suspend(stream->peer, PEER_SENDING, NULL);
    if (added) {
        atomic_fetch_add(&streams->count, 1);
        LIST_INSERT_HEAD(&streams->arrived, stream, link);
        eventfd_write(streams->wake, 1);
    }
    pthread_mutex_unlock(&streams->lock);
    return added;
}

/* libmicrohttpd's content reader: the first call hands the connection over, the second comes when it is to be
   closed. */
static ssize_t stream_read(void *arg, uint64_t position, char *block, size_t size)
{
    (void)position;
    (void)block;
    (void)size;
    struct live_stream *stream = arg;
    if (stream->begun)
        return MHD_CONTENT_READER_END_OF_STREAM;
    stream->begun = true;
    return stream_add(stream) ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
}

enum handled reply_live(struct request *request, reply_more *more, void *arg, void (*release)(void *arg))
{
    bool live = peer_begin_stream(request->peer, true);
    struct live_stream *stream = live ? calloc(1, sizeof *stream) : NULL;
    if (!stream)
        release(arg);
    if (!live)
        return reply_problem(request, PROBLEM_UNAVAILABLE,
                             "as many streams of events are open as may be, with this token or from your "
                             "address: close some of them");
    if (!stream)
        return reply_no_memory(request);
    *stream = (struct live_stream){.streams = request->http->live_streams,
                                   .peer = request->peer,
                                   .more = more,
                                   .arg = arg,
                                   .release = release,
                                   .sent_bytes = &request->bytes};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, stream_read, stream, stream_free);
    if (!response) {
        stream_free(stream);
        return reply_no_memory(request);
    }
    /* Without chunks, so that what the thread sends is the body as it is. */
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    request->bytes = 0;
    reply_header(request, "X-Accel-Buffering", "no");
    return reply_send(request, MHD_HTTP_OK, request->type, response, false);
}

/* The thread sleeps in epoll_wait(): edges of sockets that take bytes again or break, a wake-up when there is something
   new, and a second's tick for comments and for whoever takes nothing. */
#include "server/http/live_streams.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/http/peer.h"
#include "server/http/http_state.h"

enum { EDGES = 64, TICK_MS = 1000, PIECES = 8, SEND_ROOM_BYTES = 64 << 10 };

/* A round over all followers, then a pause of so many times what it took, within these limits. */
enum { PAUSE_TIMES = 9 };
static const int64_t ms_ns = 1000000, pause_least_ns = 10000000, pause_most_ns = 1000000000,
                     second_ns = 1000000000;

struct live_streams {
    struct http *http;
    int64_t comment_ns;
    int poll, wake;
    pthread_t thread;
    atomic_int count;
    atomic_bool woken, ending;
    bool joined;
    struct buffer scratch; /* the thread's, as what follows */
    struct live_stream *first;
    pthread_mutex_t lock; /* guards what follows */
    struct live_stream *arrived;
    bool closed;
};

/* ---- one of them ---- */

static void follower_close(struct live_streams *followers, struct live_stream *follower)
{
    *(follower->previous ? &follower->previous->next : &followers->first) = follower->next;
    if (follower->next)
        follower->next->previous = follower->previous;
    epoll_ctl(followers->poll, EPOLL_CTL_DEL, follower->socket, NULL);
    buffer_free(&follower->rest);
    atomic_fetch_sub(&followers->count, 1);
    peer_produced(followers->http, follower->peer); /* it may be freed from here on */
}

/* Sends as much as the socket takes at once; keeps the rest. */
static void follower_send(struct live_stream *follower, const char *bytes, size_t size)
{
    size_t sent = 0;
    while (sent < size) {
        ssize_t count = send(follower->socket, bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        sent += (size_t)count;
    }
    if (sent < size && errno != EAGAIN && errno != EWOULDBLOCK)
        follower->failed = true;
    *follower->sent_bytes += sent;
    if (sent)
        follower->sent_ns = clock_monotonic_ns();
    if (bytes == follower->rest.data)
        buffer_consume(&follower->rest, sent);
    else if (sent < size && buffer_append(&follower->rest, bytes + sent, size - sent) < 0)
        follower->failed = true;
    if (!follower->rest.size)
        buffer_free(&follower->rest);
}

/* Asks for more as long as there is some and its client takes it, within a turn. */
static void follower_feed(struct live_streams *followers, struct live_stream *follower)
{
    struct buffer *scratch = &followers->scratch;
    int pieces = 0;
    for (; pieces < PIECES && !follower->rest.size && !follower->ends && !follower->failed; pieces++) {
        struct error error = {0};
        scratch->size = 0;
        int more = follower->more(follower->arg, scratch, &error);
        follower->ends = more == 0;
        follower->failed = more < 0 || scratch->failed;
        if (more < 0)
            log_info("%s is cut off a stream: %s", follower->peer->remote, error.text);
        if (scratch->failed)
            buffer_free(scratch);
        if (follower->failed || !scratch->size)
            break;
        follower_send(follower, scratch->data, scratch->size);
    }
    if (pieces == PIECES)
        atomic_store(&followers->woken, true); /* there may be more: another round, after the pause */
}

/* Everything that may be done for it now; false: it is gone. */
static bool follower_serve(struct live_streams *followers, struct live_stream *follower)
{
    int64_t now = clock_monotonic_ns();
    if (follower->rest.size)
        follower_send(follower, follower->rest.data, follower->rest.size);
    if (follower->rest.size && now - follower->sent_ns > FOLLOWERS_PATIENCE_S * second_ns) {
        follower->failed = true;
        log_info("%s is cut off a stream: it has read nothing for %d s", follower->peer->remote,
                 FOLLOWERS_PATIENCE_S);
    }
    follower_feed(followers, follower);
    if (!follower->rest.size && !follower->failed && now - follower->sent_ns >= followers->comment_ns)
        follower_send(follower, ":\n\n", 3);
    bool done = follower->failed || (follower->ends && !follower->rest.size);
    if (done)
        follower_close(followers, follower);
    return !done;
}

/* ---- all of them ---- */

static void arrived_take(struct live_streams *followers)
{
    pthread_mutex_lock(&followers->lock);
    struct live_stream *arrived = followers->arrived;
    followers->arrived = NULL;
    pthread_mutex_unlock(&followers->lock);
    for (struct live_stream *next; arrived; arrived = next) {
        next = arrived->next;
        arrived->previous = NULL;
        arrived->next = followers->first;
        if (followers->first)
            followers->first->previous = arrived;
        followers->first = arrived;
        struct epoll_event edge = {.events = EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = arrived};
        arrived->failed = epoll_ctl(followers->poll, EPOLL_CTL_ADD, arrived->socket, &edge) < 0;
        follower_serve(followers, arrived);
    }
}

/* A client that sends no more may have gone: what is sent to it will tell. */
static void edge_take(struct live_streams *followers, const struct epoll_event *edge)
{
    struct live_stream *follower = edge->data.ptr;
    if (edge->events & (EPOLLERR | EPOLLHUP))
        follower->failed = true;
    else if (edge->events & EPOLLRDHUP && !follower->rest.size)
        follower_send(follower, ":\n\n", 3);
    if (follower->failed || follower->rest.size)
        follower_serve(followers, follower);
}

static void round_make(struct live_streams *followers)
{
    for (struct live_stream *follower = followers->first, *next; follower; follower = next) {
        next = follower->next;
        follower_serve(followers, follower);
    }
}

static void *followers_main(void *arg)
{
    struct live_streams *followers = arg;
    int64_t round_ns = 0, tick_ns = clock_monotonic_ns() + TICK_MS * ms_ns; /* not before, not after */
    while (!atomic_load(&followers->ending)) {
        struct epoll_event edges[EDGES];
        bool news = atomic_load(&followers->woken);
        int64_t now = clock_monotonic_ns(), until = news ? round_ns : tick_ns;
        if (now >= until) {
            atomic_store(&followers->woken, false);
            round_make(followers);
            int64_t end = clock_monotonic_ns(), pause = PAUSE_TIMES * (end - now);
            pause = pause < pause_least_ns ? pause_least_ns : pause > pause_most_ns ? pause_most_ns : pause;
            round_ns = end + pause;
            tick_ns = end + TICK_MS * ms_ns;
            continue;
        }
        int count = epoll_wait(followers->poll, edges, EDGES, (int)((until - now) / ms_ns) + 1);
        for (int i = 0; i < count; i++) {
            eventfd_t number;
            if (edges[i].data.ptr)
                edge_take(followers, &edges[i]);
            else
                eventfd_read(followers->wake, &number);
        }
        arrived_take(followers);
    }
    pthread_mutex_lock(&followers->lock);
    followers->closed = true;
    pthread_mutex_unlock(&followers->lock);
    arrived_take(followers);
    while (followers->first)
        follower_close(followers, followers->first);
    return NULL;
}

int live_streams_start(struct live_streams **out, struct http *http, double comment_s, struct error *error)
{
    struct live_streams *followers = calloc(1, sizeof *followers);
    if (!followers)
        return error_set(error, ERROR_MEMORY, "no memory for streams of events");
    followers->http = http;
    followers->comment_ns = (int64_t)(comment_s * 1e9);
    pthread_mutex_init(&followers->lock, NULL);
    followers->poll = epoll_create1(EPOLL_CLOEXEC);
    followers->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event edge = {.events = EPOLLIN};
    int failed = followers->poll < 0 || followers->wake < 0 ||
                         epoll_ctl(followers->poll, EPOLL_CTL_ADD, followers->wake, &edge) < 0
                     ? errno
                     : pthread_create(&followers->thread, NULL, followers_main, followers);
    if (failed) {
        followers->joined = true;
        live_streams_free(followers);
        return error_set_errno(error, failed, "cannot start the thread that sends events");
    }
    *out = followers;
    return 0;
}

/* Each event leaves at once; and a client that does not read holds little of the system's memory either. */
static void socket_prepare(int socket)
{
    int bytes = SEND_ROOM_BYTES, on = 1;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* a Unix socket has none */
}

bool live_streams_add(struct live_streams *followers, struct live_stream *follower)
{
    follower->socket = follower->peer->socket;
    follower->sent_ns = clock_monotonic_ns();
    socket_prepare(follower->socket);
    pthread_mutex_lock(&followers->lock);
    bool open = !followers->closed;
    if (open) {
        peer_pause(followers->http, follower->peer);
        atomic_fetch_add(&followers->count, 1);
        follower->next = followers->arrived;
        followers->arrived = follower;
        eventfd_write(followers->wake, 1);
    }
    pthread_mutex_unlock(&followers->lock);
    return open;
}

void live_streams_wake(struct live_streams *followers)
{
    if (followers && atomic_load(&followers->count) && !atomic_exchange(&followers->woken, true))
        eventfd_write(followers->wake, 1);
}

void live_streams_end(struct live_streams *followers)
{
    if (!followers || followers->joined)
        return;
    atomic_store(&followers->ending, true);
    eventfd_write(followers->wake, 1);
    pthread_join(followers->thread, NULL);
    followers->joined = true;
}

void live_streams_free(struct live_streams *followers)
{
    if (!followers)
        return;
    live_streams_end(followers);
    if (followers->poll >= 0)
        close(followers->poll);
    if (followers->wake >= 0)
        close(followers->wake);
    pthread_mutex_destroy(&followers->lock);
    buffer_free(&followers->scratch);
    free(followers);
}

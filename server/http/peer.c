/* Who is connected and how long they may take. libmicrohttpd forgets a connection while it is suspended and
   takes each byte of a drip for a sign of life, so a thread of our own looks at all of them: at least once a
   second, and when a wait is over. */
#include "server/http/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "server/http/connection_limit.h"
#include "server/http/acceptor.h"
#include "server/http/log_throttle.h"
#include "server/auth/users.h"

static const int64_t second_ns = 1000000000;

/* How long a reply that is being sent may hold up the end. */
enum { SENDING_MAX_S = 2 };

/* What it waits for, or is being sent, is not for it any more. */
static void revoked_cut(struct http *http, struct peer *peer)
{
    if (!peer->token || users_hold(http->users, peer->token))
        return;
    peer->gone = true;
    connection_limit_cut(http, peer);
}

void peer_arrive(struct http *http, struct peer *peer, uint64_t token)
{
    pthread_mutex_lock(&http->lock);
    peer->uploading = true;
    peer->token = token;
    revoked_cut(http, peer); /* it may have been revoked since it was found, and all others looked at */
    pthread_mutex_unlock(&http->lock);
}

static void peer_start(struct http *http, struct MHD_Connection *connection, void **slot)
{
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct peer *peer = fd ? calloc(1, sizeof *peer) : NULL;
    *slot = peer;
    if (!peer)
        return; /* the first request on it is rejected by closing */
    peer->connection = connection;
    peer->socket = fd->connect_fd;
    peer->arriving_since_ns = clock_monotonic_ns();
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *remote = address ? address->client_addr : NULL;
    peer->local = remote && remote->sa_family == AF_UNIX;
    address_limit_name(remote, peer->socket, peer->remote);
    address_key_of(remote, peer->remote, &peer->address);
    pthread_mutex_lock(&http->lock);
    connection_limit_enter(http, peer, remote);
    pthread_mutex_unlock(&http->lock);
    peer->client = peer->address_limit
                       ? hash_bytes(&peer->address_limit->key, sizeof peer->address_limit->key)
                       : hash_bytes(peer->remote, strlen(peer->remote));
}

/* Called before the socket is closed, so what is in the list has a socket that is its own. */
static void peer_end(struct http *http, struct peer *peer)
{
    acceptor_release(http->acceptor);
    if (!peer)
        return;
    pthread_mutex_lock(&http->lock);
    connection_limit_leave(http, peer);
    pthread_mutex_unlock(&http->lock);
    free(peer);
}

void peer_notify(void *arg, struct MHD_Connection *connection, void **slot,
                 enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        peer_start(arg, connection, slot);
    else
        peer_end(arg, *slot);
}

static void phase_set(struct http *http, struct peer *peer, enum peer_phase phase)
{
    peer->phase = phase;
    if (http->ending)
        pthread_cond_broadcast(&http->calm);
}

bool peer_begin(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    bool allowed = !http->ending;
    peer->woken = peer->probed = peer->hurried = false;
    phase_set(http, peer, allowed ? PEER_ANSWERING : PEER_SENDING);
    pthread_mutex_unlock(&http->lock);
    return allowed;
}

bool peer_arm(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    peer->woken = false;
    bool there = !peer->gone;
    pthread_mutex_unlock(&http->lock);
    return there;
}

bool peer_wait(struct http *http, struct peer *peer, int64_t until_ns)
{
    pthread_mutex_lock(&http->lock);
    peer->timed = until_ns != 0;
    peer->wait_until_ns = until_ns;
    peer->hurried = peer->timed && !peer->woken && connection_limit_is_used_up(http, peer);
    bool sleeps = !peer->woken && !peer->hurried && !(peer->timed && http->ending);
    if (sleeps) {
        phase_set(http, peer, PEER_WAITING);
        MHD_suspend_connection(peer->connection);
        if (peer->timed && until_ns < http->watch_until_ns)
            pthread_cond_signal(&http->watch);
    }
    pthread_mutex_unlock(&http->lock);
    return sleeps;
}

static void wake_locked(struct http *http, struct peer *peer)
{
    peer->woken = true;
    if (peer->phase != PEER_WAITING)
        return;
    phase_set(http, peer, PEER_ANSWERING);
    MHD_resume_connection(peer->connection);
}

void peer_wake(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    wake_locked(http, peer);
    pthread_mutex_unlock(&http->lock);
}

bool peer_is_one_too_many(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    bool many = connection_limit_is_used_up(http, peer);
    pthread_mutex_unlock(&http->lock);
    return many;
}

void peer_leave(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    phase_set(http, peer, PEER_SLOW);
    MHD_suspend_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
}

void peer_return(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    phase_set(http, peer, PEER_ANSWERING);
    MHD_resume_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
}

/* With the lock: the worker pool is not stopped before http->closing is set. */
static bool task_add(struct http *http, struct worker_task *task)
{
    if (!http->closing)
        worker_pool_add(http->worker_pool, task);
    return !http->closing;
}

bool peer_produce(struct http *http, struct peer *peer, struct worker_task *task)
{
    pthread_mutex_lock(&http->lock);
    bool open = task_add(http, task);
    if (open)
        MHD_suspend_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
    return open;
}

bool peers_run_unattached(struct http *http, struct worker_task *task)
{
    pthread_mutex_lock(&http->lock);
    bool open = task_add(http, task);
    pthread_mutex_unlock(&http->lock);
    return open;
}

void peer_pause(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    MHD_suspend_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
}

bool peer_follows(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    peer->follows = !connection_limit_is_used_up(http, peer) && !connection_limit_is_followed(http, peer);
    bool follows = peer->follows;
    pthread_mutex_unlock(&http->lock);
    return follows;
}

void peer_produced(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    MHD_resume_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
}

void peer_send(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    phase_set(http, peer, PEER_SENDING);
    pthread_mutex_unlock(&http->lock);
}

void peer_send_within(struct http *http, struct peer *peer, int seconds)
{
    pthread_mutex_lock(&http->lock);
    peer->send_until_ns = clock_monotonic_ns() + seconds * second_ns;
    pthread_mutex_unlock(&http->lock);
}

void peer_done(struct http *http, struct peer *peer)
{
    pthread_mutex_lock(&http->lock);
    phase_set(http, peer, PEER_ARRIVING);
    peer->uploading = peer->follows = false;
    peer->send_until_ns = 0;
    peer->arriving_since_ns = clock_monotonic_ns();
    connection_limit_refresh(http, peer);
    pthread_mutex_unlock(&http->lock);
}

/* Is the client gone? One that has closed its end and one that only sends no more look the same until something is
   sent to them, so they are sent an interim response, which a client that is there ignores (RFC 9110, 15.2): the other
   answers with a reset. */
static bool peer_left(struct peer *peer)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct pollfd look = {.fd = peer->socket, .events = POLLRDHUP};
    if (poll(&look, 1, 0) < 1)
        return false;
    if (look.revents & (POLLERR | POLLHUP | POLLNVAL))
        return true;
    if (peer->interim && !peer->probed)
        send(peer->socket, interim, sizeof interim - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    peer->probed = true;
    return false;
}

/* Looks at one peer; returns when it wants to be looked at again. */
static int64_t peer_watch(struct http *http, struct peer *peer, int64_t now, bool look)
{
    int64_t limit = peer->arriving_since_ns + http->request_s * second_ns;
    if (peer->phase == PEER_ARRIVING && !peer->cut && now >= limit)
        connection_limit_cut(http, peer);
    if (peer->phase == PEER_SENDING && !peer->cut && peer->send_until_ns && now >= peer->send_until_ns)
        connection_limit_cut(http, peer);
    if (peer->phase != PEER_WAITING || !peer->timed)
        return INT64_MAX;
    if (look && peer_left(peer))
        peer->gone = true;
    if (peer->gone || http->ending || now >= peer->wait_until_ns) {
        wake_locked(http, peer);
        return INT64_MAX;
    }
    return peer->wait_until_ns;
}

static void *watch_main(void *arg)
{
    struct http *http = arg;
    int64_t look_at = 0;
    pthread_mutex_lock(&http->lock);
    while (!http->stopped) {
        int64_t now = clock_monotonic_ns();
        bool look = now >= look_at;
        if (look)
            look_at = now + second_ns;
        if (look) {
            log_throttle_write(http->access_throttle, now);
            log_throttle_write(http->audit_throttle, now);
        }
        int64_t next = look_at;
        unsigned changes = look && http->users ? users_changes(http->users) : http->users_changes;
        bool changed = changes != http->users_changes;
        http->users_changes = changes;
        for (struct peer *peer = http->peers.first; peer; peer = peer->in[PEERS_ALL].next) {
            if (changed)
                revoked_cut(http, peer);
            int64_t wants = peer_watch(http, peer, now, look);
            next = wants < next ? wants : next;
        }
        http->watch_until_ns = next;
        struct timespec until = {.tv_sec = next / second_ns, .tv_nsec = next % second_ns};
        pthread_cond_timedwait(&http->watch, &http->lock, &until);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}

static int peers_in(const struct http *http, enum peer_phase phase)
{
    int count = 0;
    for (const struct peer *peer = http->peers.first; peer; peer = peer->in[PEERS_ALL].next)
        count += peer->phase == phase;
    return count;
}

void peers_end(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->ending = true;
    pthread_cond_signal(&http->watch);
    while (peers_in(http, PEER_ANSWERING) + peers_in(http, PEER_SLOW) + peers_in(http, PEER_WAITING) > 0)
        pthread_cond_wait(&http->calm, &http->lock);
    int64_t limit = clock_monotonic_ns() + SENDING_MAX_S * second_ns;
    struct timespec until = {.tv_sec = limit / second_ns, .tv_nsec = limit % second_ns};
    while (peers_in(http, PEER_SENDING) > 0)
        if (pthread_cond_timedwait(&http->calm, &http->lock, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&http->lock);
}

void peers_close(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->closing = true;
    pthread_mutex_unlock(&http->lock);
}

int peers_start(struct http *http, struct error *error)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->watch, &monotonic);
    pthread_cond_init(&http->calm, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int failed = pthread_create(&http->watcher, NULL, watch_main, http);
    if (failed)
        return error_set_errno(error, failed, "cannot start the thread that watches connections");
    return 0;
}

void peers_stop(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->stopped = true;
    pthread_cond_signal(&http->watch);
    pthread_mutex_unlock(&http->lock);
    pthread_join(http->watcher, NULL);
}

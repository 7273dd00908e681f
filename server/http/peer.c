/* libmicrohttpd forgets a connection while it is suspended, and takes each byte that a slow client sends for
   a sign of life. So a periodic job looks at all connections: each second, and when a wait is over. */
#include "server/http/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/thread.h"
#include "server/auth/users.h"
#include "server/http/connection_limit.h"
#include "server/http/access_log.h"

static const int64_t second_ns = 1000000000;

enum { END_SENDING_S = 2 }; /* replies that are being sent delay the end for so long at most */

/* ---- a connection's begin and end ---- */

static void peer_start(struct http *http, struct MHD_Connection *connection, void **slot)
{
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct peer *peer = fd ? calloc(1, sizeof *peer) : NULL;
    *slot = peer;
    if (!peer)
        return; /* on_request() closes a connection without a peer */
    peer->http = http;
    peer->connection = connection;
    peer->socket = fd->connect_fd;
    peer->arriving_since_ns = clock_monotonic_ns();
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *remote = address ? address->client_addr : NULL;
    peer->local = remote && remote->sa_family == AF_UNIX;
    connection_address_name(remote, peer->socket, peer->remote);
    connection_address_key(remote, peer->remote, &peer->address);
    pthread_mutex_lock(&http->lock);
    connection_limit_enter(peer, remote);
    pthread_mutex_unlock(&http->lock);
}

/* libmicrohttpd says that a connection has ended before it closes the socket, so the sockets of listed peers
   are never another file's. */
void peer_notify(void *arg, struct MHD_Connection *connection, void **slot,
                 enum MHD_ConnectionNotificationCode code)
{
    struct http *http = arg;
    struct peer *peer = *slot;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        peer_start(http, connection, slot);
        return;
    }
    atomic_fetch_sub(&http->accepted, 1);
    if (!peer)
        return;
    pthread_mutex_lock(&http->lock);
    connection_limit_leave(peer);
    pthread_mutex_unlock(&http->lock);
    free(peer);
}

/* ---- phases; static functions are called with http->lock held ---- */

static void phase_set(struct peer *peer, enum peer_phase phase)
{
    peer->phase = phase;
    if (peer->http->ending)
        pthread_cond_broadcast(&peer->http->phase_changed);
}

/* Whatever the connection waits for or is sent is not for a revoked token. */
static void revoked_cut(struct peer *peer)
{
    if (!peer->token || users_hold(peer->http->config.users, peer->token))
        return;
    peer->gone = true;
    connection_limit_cut(peer);
}

void peer_arrive(struct peer *peer, uint64_t token)
{
    pthread_mutex_lock(&peer->http->lock);
    peer->uploading = true;
    peer->token = token;
    revoked_cut(peer); /* it may have been revoked between users_find() and here */
    pthread_mutex_unlock(&peer->http->lock);
}

bool peer_begin(struct peer *peer)
{
    pthread_mutex_lock(&peer->http->lock);
    bool allowed = !peer->http->ending;
    peer->woken = peer->probed = peer->wait_refused = false;
    if (allowed)
        phase_set(peer, PEER_ANSWERING);
    pthread_mutex_unlock(&peer->http->lock);
    return allowed;
}

bool peer_arm(struct peer *peer)
{
    pthread_mutex_lock(&peer->http->lock);
    peer->woken = false;
    bool here = !peer->gone;
    pthread_mutex_unlock(&peer->http->lock);
    return here;
}

bool peer_wait(struct peer *peer, int64_t until_ns)
{
    struct http *http = peer->http;
    pthread_mutex_lock(&http->lock);
    peer->timed = until_ns != 0;
    peer->wait_until_ns = until_ns;
    peer->wait_refused = peer->timed && !peer->woken && connection_limit_token_reached(peer);
    bool waits = !peer->woken && !peer->wait_refused && !(peer->timed && http->ending);
    if (waits) {
        phase_set(peer, PEER_WAITING);
        MHD_suspend_connection(peer->connection);
        if (peer->timed)
            periodic_wake(&http->watch, until_ns);
    }
    pthread_mutex_unlock(&http->lock);
    return waits;
}

static void wake(struct peer *peer)
{
    peer->woken = true;
    if (peer->phase != PEER_WAITING)
        return;
    phase_set(peer, PEER_ANSWERING);
    MHD_resume_connection(peer->connection);
}

void peer_wake(struct peer *peer)
{
    struct http *http = peer->http;
    pthread_mutex_lock(&http->lock);
    wake(peer);
    pthread_mutex_unlock(&http->lock);
}

bool peer_begin_stream(struct peer *peer, bool live)
{
    pthread_mutex_lock(&peer->http->lock);
    bool allowed = !connection_limit_token_reached(peer) && !(live && connection_limit_live_reached(peer));
    peer->live = live && allowed;
    pthread_mutex_unlock(&peer->http->lock);
    return allowed;
}

/* The worker pool is stopped after http->closing was set, so it still takes what is added here. */
bool peers_run(struct http *http, struct worker_task *task)
{
    pthread_mutex_lock(&http->lock);
    bool added = !http->closing;
    if (added)
        worker_pool_add(http->worker_pool, task);
    pthread_mutex_unlock(&http->lock);
    return added;
}

bool peer_suspend(struct peer *peer, enum peer_phase phase, struct worker_task *task)
{
    struct http *http = peer->http;
    pthread_mutex_lock(&http->lock);
    bool suspended = !http->closing;
    if (suspended) {
        phase_set(peer, phase);
        MHD_suspend_connection(peer->connection);
        if (task)
            worker_pool_add(http->worker_pool, task);
    }
    pthread_mutex_unlock(&http->lock);
    return suspended;
}

void peer_resume(struct peer *peer, enum peer_phase phase)
{
    struct http *http = peer->http;
    pthread_mutex_lock(&http->lock);
    phase_set(peer, phase);
    MHD_resume_connection(peer->connection);
    pthread_mutex_unlock(&http->lock);
}

void peer_send(struct peer *peer)
{
    pthread_mutex_lock(&peer->http->lock);
    phase_set(peer, PEER_SENDING);
    pthread_mutex_unlock(&peer->http->lock);
}

void peer_send_within(struct peer *peer, int seconds)
{
    pthread_mutex_lock(&peer->http->lock);
    peer->send_until_ns = clock_after_ns(seconds);
    pthread_mutex_unlock(&peer->http->lock);
}

void peer_done(struct peer *peer)
{
    pthread_mutex_lock(&peer->http->lock);
    phase_set(peer, PEER_ARRIVING);
    peer->uploading = peer->live = peer->malformed = false;
    peer->send_until_ns = 0;
    peer->arriving_since_ns = clock_monotonic_ns();
    connection_limit_refresh(peer);
    pthread_mutex_unlock(&peer->http->lock);
}

/* ---- the periodic job ---- */

/* True: the client has closed the connection. A client that has closed both directions and one that only
   sends no more look the same until something is sent. So an interim response is sent, which a client that is
   there ignores (RFC 9110, 15.2) and a closed socket answers with a reset. */
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

/* Applies the deadlines of a connection; `look`: looks at its socket too. Returns the end of its wait, or
   INT64_MAX. */
static int64_t peer_look(struct peer *peer, int64_t now_ns, bool look)
{
    int64_t arrive_until_ns = peer->arriving_since_ns + peer->http->config.request_s * second_ns;
    bool late = (peer->phase == PEER_ARRIVING && now_ns >= arrive_until_ns) ||
                (peer->phase == PEER_SENDING && peer->send_until_ns && now_ns >= peer->send_until_ns);
    if (late && !peer->cut)
        connection_limit_cut(peer);
    if (peer->phase != PEER_WAITING || !peer->timed)
        return INT64_MAX;
    if (look && peer_left(peer))
        peer->gone = true;
    if (peer->gone || now_ns >= peer->wait_until_ns) {
        wake(peer);
        return INT64_MAX;
    }
    return peer->wait_until_ns;
}

static int64_t peers_look(void *arg, int64_t now_ns)
{
    struct http *http = arg;
    struct peer *peer;
    bool look = now_ns >= http->look_at_ns, revoked = false;
    if (look) {
        http->look_at_ns = now_ns + second_ns;
        access_log_throttle_write(http->access_throttle, now_ns);
        access_log_throttle_write(http->audit_throttle, now_ns);
        unsigned changes = http->config.users ? users_changes(http->config.users) : 0;
        revoked = changes != http->users_changes;
        http->users_changes = changes;
    }
    int64_t next_ns = http->look_at_ns;
    pthread_mutex_lock(&http->lock);
    TAILQ_FOREACH (peer, &http->peers, in[PEERS_ALL]) {
        if (revoked)
            revoked_cut(peer);
        int64_t until_ns = peer_look(peer, now_ns, look);
        next_ns = until_ns < next_ns ? until_ns : next_ns;
    }
    pthread_mutex_unlock(&http->lock);
    return next_ns;
}

/* ---- the end ---- */

static bool any_between(const struct http *http, enum peer_phase first, enum peer_phase last)
{
    const struct peer *peer;
    TAILQ_FOREACH (peer, &http->peers, in[PEERS_ALL])
        if (peer->phase >= first && peer->phase <= last)
            return true;
    return false;
}

void peers_end(struct http *http)
{
    struct peer *peer;
    pthread_mutex_lock(&http->lock);
    http->ending = true;
    TAILQ_FOREACH (peer, &http->peers, in[PEERS_ALL])
        if (peer->phase == PEER_WAITING && peer->timed)
            wake(peer);
    while (any_between(http, PEER_ANSWERING, PEER_WAITING))
        pthread_cond_wait(&http->phase_changed, &http->lock);
    int64_t until_ns = clock_after_ns(END_SENDING_S);
    while (any_between(http, PEER_SENDING, PEER_SENDING))
        if (thread_wait_until(&http->phase_changed, &http->lock, until_ns) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&http->lock);
}

void peers_stop_streams(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->closing = true;
    pthread_mutex_unlock(&http->lock);
}

void peers_init(struct http *http)
{
    pthread_mutex_init(&http->lock, NULL);
    thread_condition_init(&http->phase_changed);
    TAILQ_INIT(&http->peers);
}

int peers_watch(struct http *http, struct error *error)
{
    http->watch.run = peers_look;
    http->watch.arg = http;
    return periodic_add(&http->watch, error);
}

void peers_stop(struct http *http)
{
    periodic_remove(&http->watch);
    pthread_cond_destroy(&http->phase_changed);
    pthread_mutex_destroy(&http->lock);
}

/* Closes idle connections for new ones, and counts by address and by token. */
#include "server/http/connection_limit.h"

#include <sys/socket.h>

enum {
    ADDRESS_SPARE = 64, /* connections beyond an address's limit that are answered about health */
    TOKEN_PART = 4,     /* one token holds at most a quarter of the connections */
    LIVE_PART = 2       /* live streams are at most half of them */
};

static void lists_add(struct http *http, struct peer *peer)
{
    TAILQ_INSERT_HEAD(&http->peers, peer, in[PEERS_ALL]);
    if (peer->address_limit)
        TAILQ_INSERT_HEAD(&peer->address_limit->peers, peer, in[PEERS_OF_ADDRESS]);
}

static void lists_remove(struct http *http, struct peer *peer)
{
    TAILQ_REMOVE(&http->peers, peer, in[PEERS_ALL]);
    if (peer->address_limit)
        TAILQ_REMOVE(&peer->address_limit->peers, peer, in[PEERS_OF_ADDRESS]);
}

static void count_remove(struct http *http, struct peer *peer)
{
    if (peer->cut)
        return;
    peer->cut = true;
    http->peer_count--;
    if (peer->address_limit)
        peer->address_limit->open--;
}

void connection_limit_cut(struct http *http, struct peer *peer)
{
    count_remove(http, peer);
    shutdown(peer->socket, SHUT_RDWR);
}

/* Closes the connection that is idle longest; if none is idle, the one that sends its request longest.
   `within`: only connections that were within the limit when they came, or only the others. False: all are
   being answered. */
static bool idle_close(struct http *http, const struct peer_list *list, enum peer_lists which, bool within)
{
    struct peer *peer;
    for (int uploading = 0; uploading < 2; uploading++)
        TAILQ_FOREACH_REVERSE (peer, list, peer_list, in[which])
            if (peer->phase == PEER_ARRIVING && !peer->cut && peer->uploading == (uploading == 1) &&
                (peer->excess == PEER_WITHIN) == within) {
                connection_limit_cut(http, peer);
                return true;
            }
    return false;
}

/* True when the new connection is within the limit, perhaps because another one was closed. Otherwise it is
   in excess; of these only `spare` stay open, so that each has the time to ask about health. */
static bool limit_apply(struct http *http, const struct peer_list *list, enum peer_lists which,
                        unsigned count, unsigned limit, unsigned spare)
{
    if (count <= limit || idle_close(http, list, which, true))
        return true;
    if (count > limit + spare)
        idle_close(http, list, which, false);
    return false;
}

/* The address's limit comes first: an address that exceeds it closes one of its own connections. */
static enum peer_excess excess_of(struct http *http, const struct address_limit *address_limit)
{
    if (address_limit && http->address_peer_limit &&
        !limit_apply(http, &address_limit->peers, PEERS_OF_ADDRESS, address_limit->open,
                     http->address_peer_limit, ADDRESS_SPARE))
        return PEER_BEYOND_ADDRESS;
    if (!limit_apply(http, &http->peers, PEERS_ALL, http->peer_count + 1, http->peer_limit, http->peer_spare))
        return PEER_BEYOND_ALL;
    return PEER_WITHIN;
}

bool connection_limit_token_reached(const struct http *http, const struct peer *peer)
{
    const struct address_limit *address_limit = http->address_peer_limit ? peer->address_limit : NULL;
    const struct peer_list *list = address_limit ? &address_limit->peers : &http->peers;
    enum peer_lists which = address_limit ? PEERS_OF_ADDRESS : PEERS_ALL;
    unsigned busy = 0, limit = (address_limit ? http->address_peer_limit : http->peer_limit) / TOKEN_PART;
    const struct peer *other;
    if (!peer->token || (address_limit ? address_limit->open : http->peer_count) <= limit)
        return false;
    TAILQ_FOREACH (other, list, in[which]) {
        busy += other->token == peer->token && other != peer &&
                (other->phase == PEER_SLOW || other->phase == PEER_SENDING ||
                 (other->phase == PEER_WAITING && other->timed));
        if (busy >= limit)
            break;
    }
    return busy >= limit;
}

static bool live_reached(const struct peer_list *list, enum peer_lists which, unsigned limit)
{
    unsigned live = 0;
    const struct peer *other;
    TAILQ_FOREACH (other, list, in[which])
        live += other->live;
    return live >= limit;
}

bool connection_limit_live_reached(const struct http *http, const struct peer *peer)
{
    return (peer->address_limit && http->address_peer_limit &&
            live_reached(&peer->address_limit->peers, PEERS_OF_ADDRESS,
                         http->address_peer_limit / LIVE_PART)) ||
           live_reached(&http->peers, PEERS_ALL, http->peer_limit / LIVE_PART);
}

void connection_limit_enter(struct http *http, struct peer *peer, const struct sockaddr *remote)
{
    peer->address_limit = address_limit_join(&http->address_limits, remote);
    peer->excess = excess_of(http, peer->address_limit);
    lists_add(http, peer);
    http->peer_count++;
}

void connection_limit_leave(struct http *http, struct peer *peer)
{
    count_remove(http, peer);
    lists_remove(http, peer);
    address_limit_leave(peer->address_limit);
}

void connection_limit_refresh(struct http *http, struct peer *peer)
{
    lists_remove(http, peer);
    lists_add(http, peer);
}

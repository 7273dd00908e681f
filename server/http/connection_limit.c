#include "server/http/connection_limit.h"

#include <sys/socket.h>

/* How many beyond its limit an address may have that ask for the service's health. */
enum { ADDRESS_SPARE = 64 };

static void list_add(struct peer_list *list, enum peer_lists which, struct peer *peer)
{
    peer->in[which].previous = NULL;
    peer->in[which].next = list->first;
    *(list->first ? &list->first->in[which].previous : &list->last) = peer;
    list->first = peer;
}

static void list_remove(struct peer_list *list, enum peer_lists which, struct peer *peer)
{
    struct peer *next = peer->in[which].next, *previous = peer->in[which].previous;
    *(previous ? &previous->in[which].next : &list->first) = next;
    *(next ? &next->in[which].previous : &list->last) = previous;
}

static void lists_add(struct http *http, struct peer *peer)
{
    list_add(&http->peers, PEERS_ALL, peer);
    if (peer->address_limit)
        list_add(&peer->address_limit->peers, PEERS_OF_ADDRESS, peer);
}

static void lists_remove(struct http *http, struct peer *peer)
{
    list_remove(&http->peers, PEERS_ALL, peer);
    if (peer->address_limit)
        list_remove(&peer->address_limit->peers, PEERS_OF_ADDRESS, peer);
}

/* It does not count as open any more. */
static void discount(struct http *http, struct peer *peer)
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
    discount(http, peer);
    shutdown(peer->socket, SHUT_RDWR);
}

/* Closes who has been idle longest, and only where nobody is idle who has been sending a request longest; of those that
   were within the limit when they came, or of those that were not. False: all of them are being answered. */
static bool room_make(struct http *http, const struct peer_list *list, enum peer_lists which, bool within)
{
    for (int uploading = 0; uploading < 2; uploading++)
        for (struct peer *peer = list->last; peer; peer = peer->in[which].previous)
            if (peer->phase == PEER_ARRIVING && !peer->cut && peer->uploading == (uploading == 1) &&
                (peer->excess == PEER_WITHIN) == within) {
                connection_limit_cut(http, peer);
                return true;
            }
    return false;
}

/* A new one is within the limit, or another one goes, or it is in excess: then it will be answered about the service's
   health and nothing else. Of those, too, only `spare` may be there before they go, so that each has the time to ask. */
static bool room_find(struct http *http, const struct peer_list *list, enum peer_lists which, unsigned count,
                      unsigned limit, unsigned spare)
{
    if (count <= limit || room_make(http, list, which, true))
        return true;
    if (count > limit + spare)
        room_make(http, list, which, false);
    return false;
}

/* An address that has as many connections as it may makes room itself; then so do all, because at its own limit the
   library takes no more. */
static enum peer_excess excess_of(struct http *http, const struct address_limit *address_limit)
{
    if (address_limit && http->address_peer_limit &&
        !room_find(http, &address_limit->peers, PEERS_OF_ADDRESS, address_limit->open,
                   http->address_peer_limit, ADDRESS_SPARE))
        return PEER_BEYOND_ADDRESS;
    if (!room_find(http, &http->peers, PEERS_ALL, http->peer_count + 1, http->peer_limit, http->peer_spare))
        return PEER_BEYOND_ALL;
    return PEER_WITHIN;
}

/* A quarter of what there is room for. */
enum { TOKEN_PART = 4, FOLLOWED_PART = 2 };

bool connection_limit_is_used_up(const struct http *http, const struct peer *peer)
{
    const struct address_limit *address_limit = http->address_peer_limit ? peer->address_limit : NULL;
    const struct peer_list *list = address_limit ? &address_limit->peers : &http->peers;
    enum peer_lists which = address_limit ? PEERS_OF_ADDRESS : PEERS_ALL;
    unsigned busy = 0, most = (address_limit ? http->address_peer_limit : http->peer_limit) / TOKEN_PART;
    if (!peer->token || (address_limit ? address_limit->open : http->peer_count) <= most)
        return false;
    for (const struct peer *other = list->first; other && busy < most; other = other->in[which].next)
        busy += other->token == peer->token && other != peer &&
                (other->phase == PEER_SLOW || other->phase == PEER_SENDING ||
                 (other->phase == PEER_WAITING && other->timed));
    return busy >= most;
}

static bool followed(const struct peer_list *list, enum peer_lists which, unsigned limit)
{
    unsigned follow = 0;
    for (const struct peer *other = list->first; other && follow < limit; other = other->in[which].next)
        follow += other->follows;
    return follow >= limit;
}

bool connection_limit_is_followed(const struct http *http, const struct peer *peer)
{
    return (peer->address_limit && http->address_peer_limit &&
            followed(&peer->address_limit->peers, PEERS_OF_ADDRESS,
                     http->address_peer_limit / FOLLOWED_PART)) ||
           followed(&http->peers, PEERS_ALL, http->peer_limit / FOLLOWED_PART);
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
    discount(http, peer);
    lists_remove(http, peer);
    address_limit_leave(&http->address_limits, peer->address_limit);
}

void connection_limit_refresh(struct http *http, struct peer *peer)
{
    lists_remove(http, peer);
    lists_add(http, peer);
}

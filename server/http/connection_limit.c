/* Closes idle connections for new ones, and counts by address and by token. */
#include "server/http/connection_limit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADDRESS_SPARE = 64, /* connections beyond an address's limit that are answered about health */
    TOKEN_PART = 4,     /* one token holds at most a quarter of the connections */
    LIVE_PART = 2       /* live streams are at most half of them */
};

/* ---- addresses ---- */

enum { V4_PREFIX_BYTES = 12, V6_NETWORK_BYTES = 8 };

/* Writes IPv4 as ::ffff:a.b.c.d, so that a client has one key by either protocol. False: neither protocol. */
static bool address_of(const struct sockaddr *any, struct in6_addr *address)
{
    if (any->sa_family == AF_INET6) {
        *address = ((const struct sockaddr_in6 *)(const void *)any)->sin6_addr;
        return true;
    }
    if (any->sa_family != AF_INET)
        return false;
    *address = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(&address->s6_addr[V4_PREFIX_BYTES], &((const struct sockaddr_in *)(const void *)any)->sin_addr, 4);
    return true;
}

void connection_address_name(const struct sockaddr *any, int socket, char name[ADDRESS_NAME_BYTES])
{
    struct in6_addr address;
    struct ucred user;
    socklen_t size = sizeof user;
    if (any && address_of(any, &address)) {
        if (IN6_IS_ADDR_V4MAPPED(&address))
            inet_ntop(AF_INET, &address.s6_addr[V4_PREFIX_BYTES], name, ADDRESS_NAME_BYTES);
        else
            inet_ntop(AF_INET6, &address, name, ADDRESS_NAME_BYTES);
    } else if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &user, &size) == 0) {
        snprintf(name, ADDRESS_NAME_BYTES, "unix:%u", user.uid);
    } else {
        snprintf(name, ADDRESS_NAME_BYTES, "unknown");
    }
}

bool connection_address_key(const struct sockaddr *any, const char *name, struct address_key *key)
{
    struct in6_addr address;
    bool addressed = any && address_of(any, &address);
    *key = (struct address_key){{0}};
    if (addressed)
        memcpy(key->bytes, address.s6_addr,
               IN6_IS_ADDR_V4MAPPED(&address) ? sizeof key->bytes : V6_NETWORK_BYTES);
    else
        memcpy(key->bytes, name, strnlen(name, sizeof key->bytes));
    return addressed;
}

void connection_network_name(const char *name, char network[ADDRESS_NAME_BYTES])
{
    struct in6_addr address;
    char text[INET6_ADDRSTRLEN];
    if (inet_pton(AF_INET6, name, &address) != 1 || IN6_IS_ADDR_V4MAPPED(&address)) {
        snprintf(network, ADDRESS_NAME_BYTES, "%s", name);
        return;
    }
    memset(&address.s6_addr[V6_NETWORK_BYTES], 0, sizeof address.s6_addr - V6_NETWORK_BYTES);
    inet_ntop(AF_INET6, &address, text, sizeof text);
    snprintf(network, ADDRESS_NAME_BYTES, "%.39s/%d", text, V6_NETWORK_BYTES * 8);
}

static int key_compare(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct address_key));
}

struct address_limit *connection_address_join(void **addresses, const struct sockaddr *any)
{
    struct address_key key;
    if (!connection_address_key(any, "", &key))
        return NULL;
    struct address_limit **at = tfind(&key, addresses, key_compare);
    struct address_limit *address_limit = at ? *at : calloc(1, sizeof *address_limit);
    if (!address_limit)
        return NULL;
    if (!at) {
        address_limit->key = key;
        TAILQ_INIT(&address_limit->peers);
        if (!tsearch(address_limit, addresses, key_compare)) {
            free(address_limit);
            return NULL;
        }
    }
    address_limit->members++;
    address_limit->open++;
    return address_limit;
}

void connection_address_leave(void **addresses, struct address_limit *address_limit)
{
    if (!address_limit || --address_limit->members > 0)
        return;
    tdelete(address_limit, addresses, key_compare);
    free(address_limit);
}

/* ---- which connection is closed ---- */

static void lists_add(struct peer *peer)
{
    TAILQ_INSERT_HEAD(&peer->http->peers, peer, in[PEERS_ALL]);
    if (peer->address_limit)
        TAILQ_INSERT_HEAD(&peer->address_limit->peers, peer, in[PEERS_OF_ADDRESS]);
}

static void lists_remove(struct peer *peer)
{
    TAILQ_REMOVE(&peer->http->peers, peer, in[PEERS_ALL]);
    if (peer->address_limit)
        TAILQ_REMOVE(&peer->address_limit->peers, peer, in[PEERS_OF_ADDRESS]);
}

/* The connection does not count as open any more. */
static void count_remove(struct peer *peer)
{
    if (peer->cut)
        return;
    peer->cut = true;
    peer->http->peer_count--;
    if (peer->address_limit)
        peer->address_limit->open--;
}

void connection_limit_cut(struct peer *peer)
{
    count_remove(peer);
    shutdown(peer->socket, SHUT_RDWR);
}

/* Closes the connection that is idle longest; if none is idle, the one that sends its request longest.
   `within`: only connections that were within the limit when they came, or only the others. False: all are
   being answered. */
static bool idle_close(const struct peer_list *list, enum peer_lists which, bool within)
{
    struct peer *peer;
    for (int uploading = 0; uploading < 2; uploading++)
        TAILQ_FOREACH_REVERSE (peer, list, peer_list, in[which])
            if (peer->phase == PEER_ARRIVING && !peer->cut && peer->uploading == (uploading == 1) &&
                (peer->excess == PEER_WITHIN) == within) {
                connection_limit_cut(peer);
                return true;
            }
    return false;
}

/* True when the new connection is within the limit, perhaps because another one was closed. Otherwise it is
   in excess; of these only `spare` stay open, so that each has the time to ask about health. */
static bool limit_apply(const struct peer_list *list, enum peer_lists which, unsigned count, unsigned limit,
                        unsigned spare)
{
    if (count <= limit || idle_close(list, which, true))
        return true;
    if (count > limit + spare)
        idle_close(list, which, false);
    return false;
}

/* The address's limit comes first: an address that exceeds it closes one of its own connections. */
static enum peer_excess excess_of(struct http *http, const struct address_limit *address_limit)
{
    if (address_limit && http->address_peer_limit &&
        !limit_apply(&address_limit->peers, PEERS_OF_ADDRESS, address_limit->open, http->address_peer_limit,
                     ADDRESS_SPARE))
        return PEER_BEYOND_ADDRESS;
    if (!limit_apply(&http->peers, PEERS_ALL, http->peer_count + 1, http->peer_limit, http->peer_spare))
        return PEER_BEYOND_ALL;
    return PEER_WITHIN;
}

bool connection_limit_token_reached(const struct peer *peer)
{
    const struct http *http = peer->http;
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

bool connection_limit_live_reached(const struct peer *peer)
{
    const struct http *http = peer->http;
    return (peer->address_limit && http->address_peer_limit &&
            live_reached(&peer->address_limit->peers, PEERS_OF_ADDRESS,
                         http->address_peer_limit / LIVE_PART)) ||
           live_reached(&http->peers, PEERS_ALL, http->peer_limit / LIVE_PART);
}

void connection_limit_enter(struct peer *peer, const struct sockaddr *remote)
{
    struct http *http = peer->http;
    peer->address_limit = connection_address_join(&http->addresses, remote);
    peer->excess = excess_of(http, peer->address_limit);
    lists_add(peer);
    http->peer_count++;
}

void connection_limit_leave(struct peer *peer)
{
    count_remove(peer);
    lists_remove(peer);
    connection_address_leave(&peer->http->addresses, peer->address_limit);
}

void connection_limit_refresh(struct peer *peer)
{
    lists_remove(peer);
    lists_add(peer);
}

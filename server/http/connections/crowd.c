#include "server/http/connections/crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { V4_PREFIX_BYTES = 12, V6_NETWORK_BYTES = 8 };

/* IPv4 as IPv6 shows it, ::ffff:a.b.c.d, so that a client is the same by either way. False: neither. */
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

void crowd_name(const struct sockaddr *any, int socket, char name[CROWD_NAME_BYTES])
{
    struct in6_addr address;
    struct ucred user;
    socklen_t size = sizeof user;
    if (any && address_of(any, &address)) {
        if (IN6_IS_ADDR_V4MAPPED(&address))
            inet_ntop(AF_INET, &address.s6_addr[V4_PREFIX_BYTES], name, CROWD_NAME_BYTES);
        else
            inet_ntop(AF_INET6, &address, name, CROWD_NAME_BYTES);
    } else if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &user, &size) == 0) {
        snprintf(name, CROWD_NAME_BYTES, "unix:%u", user.uid);
    } else {
        snprintf(name, CROWD_NAME_BYTES, "unknown");
    }
}

static struct crowd **slot_of(struct crowd_table *table, const struct crowd_key *key)
{
    uint64_t hash = hash_bytes(key, sizeof *key);
    return &table->slots[(hash ^ hash >> 32) % CROWD_SLOTS];
}

bool crowd_key_of(const struct sockaddr *any, const char *name, struct crowd_key *key)
{
    struct in6_addr address;
    bool addressed = any && address_of(any, &address);
    *key = (struct crowd_key){{0}};
    if (addressed)
        memcpy(key->bytes, address.s6_addr,
               IN6_IS_ADDR_V4MAPPED(&address) ? sizeof key->bytes : V6_NETWORK_BYTES);
    else
        memcpy(key->bytes, name, strnlen(name, sizeof key->bytes));
    return addressed;
}

void crowd_network_name(const char *name, char network[CROWD_NAME_BYTES])
{
    struct in6_addr address;
    char text[INET6_ADDRSTRLEN];
    if (inet_pton(AF_INET6, name, &address) != 1 || IN6_IS_ADDR_V4MAPPED(&address)) {
        snprintf(network, CROWD_NAME_BYTES, "%s", name);
        return;
    }
    memset(&address.s6_addr[V6_NETWORK_BYTES], 0, sizeof address.s6_addr - V6_NETWORK_BYTES);
    inet_ntop(AF_INET6, &address, text, sizeof text);
    snprintf(network, CROWD_NAME_BYTES, "%.39s/%d", text, V6_NETWORK_BYTES * 8);
}

struct crowd *crowd_join(struct crowd_table *table, const struct sockaddr *any)
{
    struct crowd_key key;
    if (!crowd_key_of(any, "", &key))
        return NULL;
    struct crowd **slot = slot_of(table, &key), *crowd = *slot;
    while (crowd && memcmp(&crowd->key, &key, sizeof key) != 0)
        crowd = crowd->next;
    if (!crowd) {
        if (!(crowd = calloc(1, sizeof *crowd)))
            return NULL;
        crowd->key = key;
        crowd->next = *slot;
        *slot = crowd;
    }
    crowd->members++;
    crowd->open++;
    return crowd;
}

void crowd_leave(struct crowd_table *table, struct crowd *crowd)
{
    if (!crowd || --crowd->members > 0)
        return;
    struct crowd **at = slot_of(table, &crowd->key);
    while (*at != crowd)
        at = &(*at)->next;
    *at = crowd->next;
    free(crowd);
}

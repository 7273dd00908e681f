/* A hash table of the addresses that have connections. */
#include "server/http/address_limit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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

void address_limit_name(const struct sockaddr *any, int socket, char name[ADDRESS_NAME_BYTES])
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

bool address_key_of(const struct sockaddr *any, const char *name, struct address_key *key)
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

void address_limit_network_name(const char *name, char network[ADDRESS_NAME_BYTES])
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

struct address_limit *address_limit_join(struct address_limits *table, const struct sockaddr *any)
{
    struct address_key key;
    if (!address_key_of(any, "", &key))
        return NULL;
    uint64_t hash = hash_bytes(&key, sizeof key);
    size_t slot = (hash ^ hash >> 32) % ADDRESS_SLOTS;
    struct address_limit *address_limit;
    LIST_FOREACH (address_limit, &table->slots[slot], link)
        if (memcmp(&address_limit->key, &key, sizeof key) == 0)
            break;
    if (!address_limit) {
        if (!(address_limit = calloc(1, sizeof *address_limit)))
            return NULL;
        address_limit->key = key;
        TAILQ_INIT(&address_limit->peers);
        LIST_INSERT_HEAD(&table->slots[slot], address_limit, link);
    }
    address_limit->members++;
    address_limit->open++;
    return address_limit;
}

void address_limit_leave(struct address_limit *address_limit)
{
    if (!address_limit || --address_limit->members > 0)
        return;
    LIST_REMOVE(address_limit, link);
    free(address_limit);
}

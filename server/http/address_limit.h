/* The connections of one address: how many there are and which of them is idle longest. The table is guarded
   by the caller's lock. */
#ifndef COALESCED_SERVER_HTTP_ADDRESS_LIMIT_H
#define COALESCED_SERVER_HTTP_ADDRESS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

enum { ADDRESS_NAME_BYTES = 48, ADDRESS_SLOTS = 1024 };

struct peer;

/* Ordered by activity: the peer that was active last comes first. */
TAILQ_HEAD(peer_list, peer);

/* An IPv4 address, the 64-bit network of an IPv6 address (a machine may use all of its addresses), or of a
   Unix socket the beginning of its name. */
struct address_key {
    uint8_t bytes[16];
};

struct address_limit {
    LIST_ENTRY(address_limit) link; /* of its slot */
    struct address_key key;
    struct peer_list peers;
    unsigned members; /* connections, with those that were cut */
    unsigned open;    /* connections without those */
};

struct address_limits {
    LIST_HEAD(, address_limit) slots[ADDRESS_SLOTS];
};

/* Writes the address in figures; of a Unix socket "unix:" and the peer's user number, which the system tells
   of the socket. */
void address_limit_name(const struct sockaddr *address, int socket, char name[ADDRESS_NAME_BYTES]);

/* Makes the key of an address, or of the name when the address is a Unix socket's: false. */
bool address_key_of(const struct sockaddr *address, const char *name, struct address_key *key);

/* Writes what the address of that name counts as: of IPv6 its network, 2001:db8::/64, otherwise the name
   itself. */
void address_limit_network_name(const char *name, char network[ADDRESS_NAME_BYTES]);

/* Adds a connection of that address. Returns the address's entry, or NULL: a Unix socket, which has no limit,
   or no memory. */
struct address_limit *address_limit_join(struct address_limits *table, const struct sockaddr *address);

/* Removes a connection; the last one frees the entry. NULL is allowed. */
void address_limit_leave(struct address_limit *address_limit);

#endif

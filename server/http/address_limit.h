/* Who connects from the same address: how many they are, and which of them has been idle longest. Guarded by the
   caller's lock. */
#ifndef COALESCED_SERVER_HTTP_ADDRESS_LIMIT_H
#define COALESCED_SERVER_HTTP_ADDRESS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ADDRESS_NAME_BYTES = 48, ADDRESS_SLOTS = 1024 };

struct peer;

/* The one that was active last comes first. */
struct peer_list {
    struct peer *first, *last;
};

/* What an address counts as: itself; for IPv6 its network of 64 bits, because a machine has all of these. */
struct address_key {
    uint8_t bytes[16];
};

struct address_limit {
    struct address_limit *next; /* of the slot */
    struct address_key key;
    struct peer_list peers;
    unsigned members; /* with those that were cut off */
    unsigned open;    /* without them */
};

struct address_limits {
    struct address_limit *slots[ADDRESS_SLOTS];
};

/* The address as text: in figures; of a Unix socket "unix:" and the user's number, asked of the socket. */
void address_limit_name(const struct sockaddr *address, int socket, char name[ADDRESS_NAME_BYTES]);

/* What the address counts as. False: it is a Unix socket's, which has none; then the key is made of its text. */
bool address_key_of(const struct sockaddr *address, const char *name, struct address_key *key);

/* What the address of that name counts as, as text: of IPv6 the network, 2001:db8::/64; else the name itself. */
void address_limit_network_name(const char *name, char network[ADDRESS_NAME_BYTES]);

/* The address's address, with one member more. NULL: a Unix socket, which has no address, or no memory. */
struct address_limit *address_limit_join(struct address_limits *table, const struct sockaddr *address);

/* NULL is allowed; freed with its last member. */
void address_limit_leave(struct address_limits *table, struct address_limit *address_limit);

#endif

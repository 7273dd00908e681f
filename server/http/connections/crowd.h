/* Who connects from the same address: how many they are, and which of them has been idle longest. Guarded by the
   caller's lock. */
#ifndef COALESCED_SERVER_HTTP_CONNECTIONS_CROWD_H
#define COALESCED_SERVER_HTTP_CONNECTIONS_CROWD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { CROWD_NAME_BYTES = 48, CROWD_SLOTS = 1024 };

struct peer;

/* The one that was active last comes first. */
struct peer_list {
    struct peer *first, *last;
};

/* What an address counts as: itself; for IPv6 its network of 64 bits, because a machine has all of these. */
struct crowd_key {
    uint8_t bytes[16];
};

struct crowd {
    struct crowd *next; /* of the slot */
    struct crowd_key key;
    struct peer_list peers;
    unsigned members; /* with those that were cut off */
    unsigned open;    /* without them */
};

struct crowd_table {
    struct crowd *slots[CROWD_SLOTS];
};

/* The address as text: in figures; of a Unix socket "unix:" and the user's number, asked of the socket. */
void crowd_name(const struct sockaddr *address, int socket, char name[CROWD_NAME_BYTES]);

/* What the address counts as. False: it is a Unix socket's, which has none; then the key is made of its text. */
bool crowd_key_of(const struct sockaddr *address, const char *name, struct crowd_key *key);

/* What the address of that name counts as, as text: of IPv6 the network, 2001:db8::/64; else the name itself. */
void crowd_network_name(const char *name, char network[CROWD_NAME_BYTES]);

/* The address's crowd, with one member more. NULL: a Unix socket, which has no address, or no memory. */
struct crowd *crowd_join(struct crowd_table *table, const struct sockaddr *address);

/* NULL is allowed; freed with its last member. */
void crowd_leave(struct crowd_table *table, struct crowd *crowd);

#endif

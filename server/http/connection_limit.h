/* The limits on connections, of one address and of all: decides which connection is closed for a new one.
   connection_limit_cut() also closes those past a deadline and those of a revoked token (peer.c). */
#pragma once

#include <sys/socket.h>

#include "server/http/http_state.h"

/* Writes the address in figures; of a Unix socket "unix:" and the peer's user number, which the system tells
   of the socket. */
void connection_address_name(const struct sockaddr *address, int socket, char name[ADDRESS_NAME_BYTES]);

/* Makes the key of an address, or of the name when the address is a Unix socket's: false. */
bool connection_address_key(const struct sockaddr *address, const char *name, struct address_key *key);

/* Writes what the address of that name counts as: of IPv6 its network, 2001:db8::/64, otherwise the name
   itself. */
void connection_network_name(const char *name, char network[ADDRESS_NAME_BYTES]);

/* ---- called with http->lock held ---- */

/* Adds a connection of that address. Returns the address's entry, or NULL: a Unix socket, which has no limit,
   or no memory. `addresses`: http->addresses. */
struct address_limit *connection_address_join(void **addresses, const struct sockaddr *address);

/* Removes a connection; the last one frees the entry. NULL is allowed. */
void connection_address_leave(void **addresses, struct address_limit *address_limit);

/* Adds a connection, which may close another one, and sets its excess. */
void connection_limit_enter(struct peer *peer, const struct sockaddr *remote);
void connection_limit_leave(struct peer *peer);

/* Marks the connection as active now, so that it is the last to be closed for others. */
void connection_limit_refresh(struct peer *peer);

/* True when a quarter of the connections that its address may have wait, or are being sent a reply, with
   this peer's token. So one user cannot take all connections of an address that others share, as behind a
   proxy. */
bool connection_limit_token_reached(const struct peer *peer);

/* True when half of the connections, of its address or of all, are live streams. */
bool connection_limit_live_reached(const struct peer *peer);

/* Shuts the connection's socket down. libmicrohttpd then closes it; it counts as closed at once. */
void connection_limit_cut(struct peer *peer);

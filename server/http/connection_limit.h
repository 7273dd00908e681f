/* The limits on connections, of one address and of all: decides which connection is closed for a new one. All
   functions are called with http->lock held. */
#ifndef COALESCED_SERVER_HTTP_CONNECTION_LIMIT_H
#define COALESCED_SERVER_HTTP_CONNECTION_LIMIT_H

#include "server/http/http_state.h"

/* Adds a connection, which may close another one, and sets its excess. */
void connection_limit_enter(struct http *http, struct peer *peer, const struct sockaddr *remote);
void connection_limit_leave(struct http *http, struct peer *peer);

/* Marks the connection as active now, so that it is the last to be closed for others. */
void connection_limit_refresh(struct http *http, struct peer *peer);

/* True when a quarter of the connections that its address may have wait, or are being sent a reply, with this
   peer's token. So one user cannot take all connections of an address that others share, as behind a proxy.
   */
bool connection_limit_token_reached(const struct http *http, const struct peer *peer);

/* True when half of the connections, of its address or of all, are live streams. */
bool connection_limit_live_reached(const struct http *http, const struct peer *peer);

/* Shuts the connection's socket down. libmicrohttpd then closes it; it counts as closed at once. */
void connection_limit_cut(struct http *http, struct peer *peer);

#endif

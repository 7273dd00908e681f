/* For how many connections there is room, of one address and of all, and who goes when there is none for a new one. All with
   http->lock held. */
#ifndef COALESCED_SERVER_HTTP_CONNECTION_LIMIT_H
#define COALESCED_SERVER_HTTP_CONNECTION_LIMIT_H

#include "server/http/http_state.h"

/* Takes it in, which may cut another one off, and sets its excess. */
void connection_limit_enter(struct http *http, struct peer *peer, const struct sockaddr *remote);
void connection_limit_leave(struct http *http, struct peer *peer);

/* It was active just now, so it is the last to go. */
void connection_limit_refresh(struct http *http, struct peer *peer);

/* Do as many wait for events, or read slowly what they are sent, with its token as may? So a user cannot hold all
   connections of an address that others have too, as behind a proxy. */
bool connection_limit_is_used_up(const struct http *http, const struct peer *peer);

/* Do as many follow events as may, from its address or in all? Half of the connections are for what ends. */
bool connection_limit_is_followed(const struct http *http, const struct peer *peer);

/* Shuts its socket: the library closes it, and from here on it counts as gone. */
void connection_limit_cut(struct http *http, struct peer *peer);

#endif

/* For how many connections there is room, of one address and of all, and who goes when there is none for a new one. All with
   http->lock held. */
#ifndef COALESCED_SERVER_HTTP_CONNECTIONS_ROOM_H
#define COALESCED_SERVER_HTTP_CONNECTIONS_ROOM_H

#include "server/http/state.h"

/* Takes it in, which may cut another one off, and sets its excess. */
void room_enter(struct http *http, struct peer *peer, const struct sockaddr *remote);
void room_leave(struct http *http, struct peer *peer);

/* It was active just now, so it is the last to go. */
void room_refresh(struct http *http, struct peer *peer);

/* Do as many wait for events, or read slowly what they are sent, with its token as may? So a person cannot hold all
   connections of an address that others have too, as behind a proxy. */
bool room_is_used_up(const struct http *http, const struct peer *peer);

/* Do as many follow events as may, from its address or in all? Half of the connections are for what ends. */
bool room_is_followed(const struct http *http, const struct peer *peer);

/* Shuts its socket: the library closes it, and from here on it counts as gone. */
void room_cut(struct http *http, struct peer *peer);

#endif

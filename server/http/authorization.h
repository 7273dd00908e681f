/* Who asks, and may they? Where there are no tokens everybody may do everything. */
#ifndef COALESCED_SERVER_HTTP_AUTHORIZATION_H
#define COALESCED_SERVER_HTTP_AUTHORIZATION_H

#include <stdbool.h>

#include "server/http/http_state.h"

/* Takes the user from the request's token. False: `why` is what is wrong with the token, and what helps. */
bool authorization_token(struct request *request, char *why, size_t size);

/* Is the role enough for the route that the request is for? False: `why` names both. */
bool authorization_role(const struct request *request, char *why, size_t size);

#endif

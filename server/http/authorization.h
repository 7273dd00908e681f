/* Authentication by token and authorization by role. Without a token file everybody may do everything. */
#ifndef COALESCED_SERVER_HTTP_AUTHORIZATION_H
#define COALESCED_SERVER_HTTP_AUTHORIZATION_H

#include <stdbool.h>

#include "server/http/http_state.h"

/* Finds the user of the request's token. False: `why` says what is wrong with the token and what helps. */
bool authorization_token(struct request *request, char *why, size_t size);

/* True when the user's role permits the request's route. False: `why` names the role that is needed and the
   user's. */
bool authorization_role(const struct request *request, char *why, size_t size);

#endif

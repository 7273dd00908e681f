/* A sweep on its way from a request's body to the reply: expanded, all queued in one transaction, and answered once that is
   on disk or, with "Prefer: wait=N", once all have ended. */
#ifndef COALESCED_SERVER_ROUTES_SWEEPING_H
#define COALESCED_SERVER_ROUTES_SWEEPING_H

#include "server/http/route.h"

/* The first call of a handler for the request. `one`: the body is one experiment's, with "repeat"; the page of the reply
   is what the query asks for. */
enum handled sweeping_begin(struct request *request, bool one);

/* Each further call. */
enum handled sweeping_handle(struct request *request);

#endif

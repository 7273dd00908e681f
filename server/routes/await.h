/* Waiting over HTTP for the end of an experiment or of a sweep. */
#ifndef COALESCED_SERVER_ROUTES_AWAIT_H
#define COALESCED_SERVER_ROUTES_AWAIT_H

#include "server/routes/service.h"

/* Seconds that the query's or the preferred wait asks for, within the limit; -1: the query makes no sense. */
int await_seconds(const struct request *request);

/* Wakes the request when that experiment or sweep has ended, from now until await_free(), which request_set_state() may be
   given. NULL: no memory. */
struct await;
struct await *await_new(struct request *request, const char *id);
void await_free(void *await);

#endif

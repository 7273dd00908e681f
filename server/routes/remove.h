/* Removing over HTTP what has ended, an experiment or a sweep: DELETE with ?remove=true. */
#ifndef COALESCED_SERVER_ROUTES_REMOVE_H
#define COALESCED_SERVER_ROUTES_REMOVE_H

#include "server/routes/service.h"

/* Names of the query parameters, for the route. */
extern const char *const remove_queries[];

/* NULL, or what is wrong with the query. */
const char *remove_asked(const struct request *request, bool *remove);

/* Whether that one may be removed by whoever asks: 0, or -1 with the reply given. */
typedef int (*remove_check)(struct request *request, const char *id, enum handled *handled);

/* The whole handler. */
enum handled remove_handle(struct request *request, enum store_kind kind, remove_check check);

/* Takes an experiment that was removed out of the answers that `http` keeps. Fits the store's `removed`. */
void remove_forget(void *http, const char *id);

#endif

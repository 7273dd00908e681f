/* What is answered while the store cannot be opened because its disk is full or fails: the process is alive and not
   ready, with the reason. */
#ifndef COALESCED_SERVER_ROUTES_STARTING_H
#define COALESCED_SERVER_ROUTES_STARTING_H

#include "server/http/http.h"

struct starting;

/* Answers on the configuration's listeners, so that connections go on being taken by whoever listens next;
   its routes and its context are not used. */
int starting_begin(struct starting **starting, const struct http_config *config, const char *reason,
                   struct error *error);

/* What is told as the reason from here on; copied. */
void starting_set_reason(struct starting *starting, const char *reason);

/* NULL is allowed. */
void starting_end(struct starting *starting);

#endif

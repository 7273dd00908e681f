/* Answers requests while the store cannot be opened because its disk is full or fails: the process is
   alive and not ready, with the reason. */
#ifndef COALESCED_SERVER_ROUTES_STARTING_H
#define COALESCED_SERVER_ROUTES_STARTING_H

#include "server/http/http.h"

struct starting;

/* Answers on the configuration's listeners, which stay open for the server that follows. The
   configuration's routes are not used, and of its context only the data directory. 0 or -1. */
int starting_begin(struct starting **starting, const struct http_config *config, const char *reason,
                   struct error *error);

/* The reason that is given from here on; copied. Any thread. */
void starting_set_reason(struct starting *starting, const char *reason);

/* Stops answering and frees it; NULL is allowed. */
void starting_end(struct starting *starting);

#endif

/* Answers requests while the store cannot be opened because its disk is full or fails: the process is
   alive and not ready, with the reason. */
#pragma once

#include "server/http/http.h"

struct starting;

enum { STARTING_REASON_BYTES = 512 };

/* Answers on the configuration's listeners, which stay open for the server that follows: health_routes,
   metrics_routes and ui_routes, whose pages then show the reason, and a refusal for all else. The configuration's own
   routes are not used; its context is the struct service, whose member `starting` is the first argument. 0 or -1. */
int starting_begin(struct starting **starting, const struct http_config *config, const char *reason,
                   struct error *error);

/* The reason that is given from here on; copied. Any thread, as the next two. */
void starting_set_reason(struct starting *starting, const char *reason);
void starting_reason(struct starting *starting, char reason[STARTING_REASON_BYTES]);

/* Answers 503 with the reason. */
enum handled starting_refuse(struct request *request);

/* Stops answering and frees it; NULL is allowed. */
void starting_end(struct starting *starting);

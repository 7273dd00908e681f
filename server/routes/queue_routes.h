/* The queue as the endpoints show it. */
#ifndef COALESCED_SERVER_ROUTES_QUEUE_ROUTES_H
#define COALESCED_SERVER_ROUTES_QUEUE_ROUTES_H

#include "server/routes/service.h"

/* Writes what waits for each device to show and what runs there, with the sums. `key` as in json_writer.h.
   `owner`: the user who asks is in the lists of owners in any case. */
void queue_routes_write(struct json_writer *json, const char *key, struct service *service,
                        const char *owner);

#endif

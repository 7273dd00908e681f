/* The queue as the endpoints show it. */
#pragma once

#include "server/queue/queue_types.h"
#include "server/routes/service.h"

/* Writes what waits for each device to show and what runs there, with the sums. `key` as in json_writer.h.
   `owner`: the user who asks is in the lists of owners in any case. `most`: with the experiments that run or are next, and
   the first `most` of that user's that wait; negative: without experiments. All is of one moment, but for why devices
   wait. */
void queue_routes_write(struct json_writer *json, const char *key, struct service *service, const char *owner,
                        int most);

/* Writes as members of the open object whether the device, or the queue, takes no new work, and who did that when. */
void queue_routes_hold(struct json_writer *json, const struct queue_hold *hold);

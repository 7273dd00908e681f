/* How many experiments may wait, in all and of one owner. Called with the queue's lock held.

   With a limit for owners no owner can fill the queue against the others. An owner may have `owner_limit` experiments
   waiting, but no more than twice what the queue's `limit` then leaves free; and always a 64th of `limit`, however full
   the queue is. */
#ifndef COALESCED_SERVER_QUEUE_QUEUE_LIMITS_H
#define COALESCED_SERVER_QUEUE_QUEUE_LIMITS_H

#include "server/queue/queue_state.h"

/* May that owner have `count` more experiments waiting, whose time limits are `timeouts_s` in sum? 0; or -1:
   ERROR_FULL (not now) or ERROR_INVALID (never), with what the owner has and may have. */
int queue_limits_check(const struct queue *queue, const struct owner *owner, int count, double timeouts_s,
                       struct error *error);

/* Seconds until it may, as queue_submit_wait_s() says. owner NULL: a new one. */
double queue_limits_wait_s(struct queue *queue, const struct owner *owner, int count, double timeouts_s);

#endif

/* How much may wait, in all and of one owner. With the queue's lock held.

   With bounds for owners the queue cannot be filled against others: an owner may have `owner_limit` waiting, but no more
   than twice what is then left free of the queue's `limit`; and a 64th of it always, however full it is. */
#ifndef COALESCED_SERVER_QUEUE_QUEUE_LIMITS_H
#define COALESCED_SERVER_QUEUE_QUEUE_LIMITS_H

#include "server/queue/entry.h"

/* May that owner have `count` more waiting, whose time limits are `timeouts_s` in sum? 0; or -1: ERROR_FULL (not now), ERROR_INVALID
   (never), with what it has and may have. */
int queue_limits_check(const struct queue *queue, const struct owner *owner, int count, double timeouts_s,
                       struct error *error);

#endif

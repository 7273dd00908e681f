/* Limits on what an owner may submit: how many experiments may wait, in all and of one owner. A limit that counts more
   than what waits needs a count on disk, because an owner without work is forgotten, and its part of
   queue_limits_wait_s(), which Retry-After is from.

   With a limit for owners no owner can fill the queue against the others. An owner may have `owner_limit` experiments
   waiting, but no more than twice what the queue's `limit` then leaves free; and always a 64th of `limit`, however full
   the queue is. */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct queue;
struct owner;

/* Returns how many experiments one owner may have waiting at most, if nobody else has any waiting and --owner-limit is not
   lower. limit: --queue-limit, in experiments. Any thread, without the lock. */
int queue_limits_alone(int limit);

/* May that owner have `count` more experiments waiting, whose time limits are `timeouts_s` in sum? 0; or -1:
   ERROR_FULL (not now) or ERROR_INVALID (never), with what the owner has and may have. Called with the queue's
   lock held. */
int queue_limits_check(const struct queue *queue, const struct owner *owner, int count, double timeouts_s,
                       struct error *error);

/* May so many bytes more of requests wait? They are in memory, and those of kernels that users bring have the source. As
   above. */
int queue_limits_check_bytes(const struct queue *queue, const struct owner *owner, int64_t bytes,
                             struct error *error);

/* ERROR_INVALID: so many bytes may never wait for one owner. Any thread, without the lock. */
int queue_limits_never(int64_t bytes, struct error *error);

/* Seconds until the owner may have `count` more experiments waiting, of `timeouts_s` seconds in sum, when
   nobody else submits and the devices go on as fast as lately: 0: now; 60 when it depends on a device that
   is held; negative: not known yet, or never. Any
   thread, without the lock. */
double queue_limits_wait_s(struct queue *queue, const char *owner, int count, double timeouts_s);

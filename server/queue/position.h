/* Where an experiment stands, and how long it will wait (queue_view.h). Called with the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_POSITION_H
#define COALESCED_SERVER_QUEUE_POSITION_H

#include "server/queue/queue_state.h"

struct queue_position position_of(struct queue *queue, const struct entry *entry);

/* Of one more experiment of that owner (NULL: a new one) that is bound to the device and has `before`
   others of its owner before it. */
struct queue_position position_at_device(struct queue *queue, const struct owner *owner, int device,
                                         int before);

/* How many experiments of an owner wait that may run on the device, and how many overrides besides. */
void position_waiting(const struct queue *queue, const struct owner *owner, int device, int *count,
                      int *overrides);

#endif

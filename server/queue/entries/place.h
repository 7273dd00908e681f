/* Who is next, where an experiment stands, and how long that will take. With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_PLACE_H
#define COALESCED_SERVER_QUEUE_ENTRIES_PLACE_H

#include "server/queue/entries/entry.h"

/* The one that the device runs next; NULL: none waits. */
struct entry *place_next(struct queue *queue, int device);

/* Does nothing begin on this device until somebody resumes it, or all of them? */
bool place_held(const struct queue *queue, int device);

/* How many owners have something waiting for the device. */
int place_sharing(const struct queue *queue, int device);

/* How many of an owner's experiments end in a second, on all devices where some of it wait, as long as all who have
   something waiting share them; 0: not known, or held. */
double place_rate(struct queue *queue, const struct owner *owner);

/* The same of all owners together. */
double place_rate_all(struct queue *queue);

#endif

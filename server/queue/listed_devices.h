/* Selection: on which devices the experiments may run that are bound to none, as devices come and leave. */
#ifndef COALESCED_SERVER_QUEUE_LISTED_DEVICES_H
#define COALESCED_SERVER_QUEUE_LISTED_DEVICES_H

#include "server/queue/entry.h"

/* Makes a selection, without the lock while select() is called. One is made at a time: while another thread makes one this
   returns at once, and that thread makes one more, of the wider scope that was asked for. */
void selection_make(struct queue *queue, enum selection_scope scope);

/* For a worker that waits, with the lock held, which is released meanwhile: makes one selection, where one is wanted and no
   other thread makes one. False: it made none, or there was no memory and it is still wanted. */
bool selection_make_wanted(struct queue *queue);

/* With the lock held: where a selection is wanted that the calling thread does not make, wakes a worker that does. */
void selection_leave(struct queue *queue);

/* With the lock held, by a thread that must not wait: for one that enters the queue when all of its devices have left since it
   was submitted, the next worker that waits makes a selection. */
void selection_ask(struct queue *queue, const struct entry *entry);

#endif

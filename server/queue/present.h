/* Selection: on which devices the experiments may run that are bound to none, as devices come and leave. */
#ifndef COALESCED_SERVER_QUEUE_PRESENT_H
#define COALESCED_SERVER_QUEUE_PRESENT_H

#include "server/queue/entries/entry.h"

/* Makes a selection, without the lock while select() is called. One is made at a time: while another thread makes one this
   returns at once, and that thread makes one more, of the wider scope that was asked for. */
void selection_make(struct queue *queue, enum selection_scope scope);

/* The same with the lock held, which is released meanwhile. */
void selection_make_locked(struct queue *queue, enum selection_scope scope);

/* With the lock held, by a thread that must not wait: for one that enters the queue when all of its devices have left since it
   was submitted, the next worker that waits makes a selection. */
void selection_ask(struct queue *queue, const struct entry *entry);

#endif

/* Which devices exist, and the selection of devices for unbound experiments that follows when devices come and leave.

   One selection runs at a time. A thread that wants one while another thread runs one returns at once, and that thread
   runs one more, of the wider scope that was wanted. Called with the queue's lock held, which is released while the
   callback select() runs. */
#ifndef COALESCED_SERVER_QUEUE_LISTED_DEVICES_H
#define COALESCED_SERVER_QUEUE_LISTED_DEVICES_H

#include "server/queue/queue_state.h"

/* Sets which devices are listed; true when the set changes. */
bool listed_devices_set(struct queue *queue, const struct device_set *listed);

/* Runs a selection of that scope. */
void listed_devices_select(struct queue *queue, enum selection_scope scope);

/* Runs one selection when one is wanted and no other thread runs one: for a worker that waits. False: it
   ran none, or there was no memory and one is still wanted. */
bool listed_devices_select_wanted(struct queue *queue);

/* When a selection is wanted that the calling thread does not run: wakes a worker that does. */
void listed_devices_delegate(struct queue *queue);

/* For an entry that enters the queue, by a thread that must not wait: when all of its devices have left
   since it was submitted, the next worker that waits runs a selection. */
void listed_devices_check(struct queue *queue, const struct entry *entry);

#endif

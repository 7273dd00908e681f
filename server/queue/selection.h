/* Selects anew the devices on which unbound experiments may run, when devices come and leave.

   One selection runs at a time. A thread that wants one while another thread runs one returns at once, and that thread
   runs one more, of the wider scope that was wanted. Called with the queue's lock held, which is released while the
   callback select() runs. */
#pragma once

#include "server/queue/queue_state.h"

/* Runs a selection of that scope. */
void selection_run(struct queue *queue, enum selection_scope scope);

/* Runs one selection when one is wanted and no other thread runs one: for a worker that waits. False: it
   ran none, or there was no memory and one is still wanted. */
bool selection_run_wanted(struct queue *queue);

/* When a selection is wanted that the calling thread does not run: wakes a worker that does. */
void selection_delegate(struct queue *queue);

/* For an entry that enters the queue, by a thread that must not wait: when all of its devices have left
   since it was submitted, the next worker that waits runs a selection. */
void selection_check(struct queue *queue, const struct entry *entry);

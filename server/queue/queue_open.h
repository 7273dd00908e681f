/* Opens and closes the queue: for main.

   The queue decides which experiment a device runs next, and alone changes an experiment's state (entry.h). Each change
   is handed to the store's writer, which commits all that waits in one transaction (store.h). Other users have
   queue_submit.h, queue_admin.h, queue_worker.h and queue_view.h.

   An experiment that names its device is bound to it from the beginning. One that may run on several devices, or on
   whatever fits it, is unbound (device -1, in memory and on disk) until a device takes it; when it is handed back it
   is unbound again. A sweep that is not spread is bound as a whole to the device that takes its first experiment.

   Functions may be called from any thread unless they say otherwise. Callbacks come from the writer's thread after
   the commit. They must not block and must not take a lock that a caller of the queue holds. They may call the
   queue, except for queue_close(). */
#pragma once

#include "server/queue/queue_types.h"

struct queue;
struct store;

/* Loads what the store holds. What was running is queued again, or fails as ERROR_ABANDONED when its
   attempts are spent. What is bound to a device that is not listed waits until it is. Devices are
   selected for what is unbound. The store stays the caller's and must outlive the queue. Returns 0 or -1. */
int queue_open(struct queue **queue, struct store *store, const struct queue_config *config,
               struct error *error);

/* From here on nothing is taken and submissions are refused. Wakes every worker. */
void queue_stop(struct queue *queue);

/* Waits until all that was handed to the store is committed, or given up after a few tries: every done()
   has been called when it returns. What still waits or runs stays so in the store, for the next
   queue_open(). No other thread may be inside the queue. NULL is allowed. */
void queue_close(struct queue *queue);

/* The queue as a device's worker uses it: waits for work, takes a task, ends it or hands it back.

   Each device has one worker, a thread; only that thread calls these functions for its device. */
#pragma once

#include "api/protocol.h"
#include "server/queue/queue_types.h"

struct queue;

/* Sets how ready the device is. When it becomes ready for the first time since it was listed, or again
   while experiments wait for which no listed device is known, devices are selected as in
   queue_admin_list_devices(). */
void queue_worker_readiness(struct queue *queue, int device, enum queue_readiness readiness);

/* Sleeps until queue_worker_next() would find something for the device, queue_stop() is called, or timeout_ms
   has passed (-1: no limit). True: it would find something.

   A device that is not WARM leaves work to a readier idle one for a moment. One that is AWAY leaves it to readier ones
   as long as there is one for each work item (owner.h), and is STARTING when this returns true. A device that is OUT
   or is not listed finds nothing. */
bool queue_worker_wait(struct queue *queue, int device, int timeout_ms);

/* For a device that is QUEUE_STARTING: is there still work for it that no idle device which is ready, or
   was started earlier, takes first? */
bool queue_worker_needed(struct queue *queue, int device);

/* Ends the task that the worker holds, when `ending` is not NULL, and takes the next one, in one
   transaction whose commit is not waited for. Returns NULL when nothing waits, the device is held, the
   queue stops, or the store cannot write (a result would be in memory only). An end that cannot be
   committed is tried again until queue_close(). All of *ending is copied. */
const struct task *queue_worker_next(struct queue *queue, int device, const struct ending *ending);

/* Waits until the start of the task that the worker holds is committed. False: the queue stopped first. */
bool queue_worker_begun(struct queue *queue, int device);

/* Puts the task that the worker holds back at its position. `counted`: an attempt was spent. `reason`
   (NULL: none) is stored with the experiment (job.h: lost). It ends instead when its cancellation was
   requested, or when that was its last attempt (ERROR_ABANDONED, with the reason). It is unbound again,
   unless it named this device or belongs to a sweep that is not spread. */
void queue_worker_hand_back(struct queue *queue, int device, bool counted, const char *reason);

/* The experiments that would run next on the device, as long as they are of the sweep of the task that the worker
   holds; to be freed. Other devices may take them first. Fewer while other owners wait, whom counting delays. */
void queue_worker_ahead(struct queue *queue, int device, struct ahead *ahead);

/* An eventfd that becomes readable when the worker should check queue_view_cancelled() and queue_view_stopping(), and
   that the worker empties. Owned by the queue. */
int queue_worker_wake_fd(struct queue *queue, int device);

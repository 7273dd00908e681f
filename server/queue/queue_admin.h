/* Opens, closes and administers the queue: for main, the device pool and the routes that pause and drain.

   The queue decides which experiment a device runs next. It alone changes an experiment's state: queued, running,
   then succeeded, failed or cancelled (transition.h). Each change is handed to the store's writer, which commits all
   that waits in one transaction (store.h). Each kind of user has a header: queue_submit.h, queue_cancel.h,
   queue_worker.h, queue_view.h and this one.

   An experiment that names its device is bound to it from the beginning. One that may run on several devices, or on
   whatever fits it, is unbound (device -1, in memory and on disk) until a device takes it; when it is handed back it
   is unbound again. A sweep that is not spread is bound as a whole to the device that takes its first experiment.

   Functions may be called from any thread unless they say otherwise. Callbacks come from the writer's thread after
   the commit. They must not block and must not take a lock that a caller of the queue holds. They may call the
   queue, except for queue_admin_close(). */
#ifndef COALESCED_SERVER_QUEUE_QUEUE_ADMIN_H
#define COALESCED_SERVER_QUEUE_QUEUE_ADMIN_H

#include "server/queue/queue_types.h"

struct queue;
struct store;

/* Loads what the store holds. What was running is queued again, or fails as ERROR_ABANDONED when its
   attempts are spent. What is bound to a device that is not listed fails as ERROR_DEVICE_LOST. Devices are
   selected for what is unbound. The store stays the caller's and must outlive the queue. Returns 0 or -1. */
int queue_admin_open(struct queue **queue, struct store *store, const struct queue_config *config,
                     struct error *error);

/* From here on nothing is taken and submissions are refused. Wakes every worker. */
void queue_admin_stop(struct queue *queue);

/* Waits until all that was handed to the store is committed, or given up after a few tries: every done()
   has been called when it returns. What still waits or runs stays so in the store, for the next
   queue_admin_open(). No other thread may be inside the queue. NULL is allowed. */
void queue_admin_close(struct queue *queue);

/* Holds a device (or QUEUE_ALL_DEVICES), or resumes it. On a held device what runs ends and what waits
   keeps waiting; a hold survives a restart. A device that is already held or resumed stays as it is, with
   the name of who did it first; then *changed (may be NULL), which is set before done(), is false. done()
   is called after the commit. Returns 0; or -1 and never calls done(): ERROR_INVALID (no such device),
   ERROR_MEMORY. */
int queue_admin_hold(struct queue *queue, int device, bool held, const char *owner, bool *changed,
                     void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

/* From here on these devices take work, and no others. What runs on a device that left ends there; what is
   bound to it keeps waiting. When the set changes, devices are selected anew for all unbound experiments
   before this returns; or, when another thread is selecting, by that thread afterwards. */
void queue_admin_list_devices(struct queue *queue, const struct device_set *listed);

/* The number belongs to a new device, and nothing stored refers to the old one: forgets the old one's run
   times. */
void queue_admin_reset_device(struct queue *queue, int device);

#endif

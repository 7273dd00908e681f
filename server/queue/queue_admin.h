/* Cancels experiments and sweeps, holds devices, and sets which devices exist: for the routes, the calibrations and the
   device pool. Any thread. */
#pragma once

#include "server/queue/queue_types.h"

struct queue;

/* An experiment that is queued ends, and done(arg, NULL) is called after the commit; `by`, who cancels it (empty:
   nobody by name), is named in its failure. For one that runs the
   flag is set that queue_view_cancelled() reads, the device's worker is woken, done() is called at once
   from this thread, and the end follows. Returns 0; or -1 and never calls done(): ERROR_NOT_FOUND (the
   queue does not have it: it has ended or never was; ask the store), ERROR_CONFLICT (it has just ended and
   the store does not know yet), ERROR_MEMORY. When the store cannot write, done(arg, failed) is called and
   the experiment waits as before. */
int queue_cancel(struct queue *queue, const char *id, const char *by,
                 void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

/* Cancels all of a sweep that has not ended. What is queued ends in one transaction; after its commit what
   runs is cancelled as by queue_cancel(), and done() is called. When the store cannot write, done(arg,
   failed) is called and all goes on. Returns and fails as queue_cancel(). */
int queue_cancel_sweep(struct queue *queue, const char *id, const char *by,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

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

/* The hold of that device alone, or of all together (QUEUE_ALL_DEVICES). Takes the queue's lock for a moment. */
void queue_admin_get_hold(struct queue *queue, int device, struct queue_hold *hold);

/* Cancels an experiment or a sweep: for the routes and the calibrations. Any thread. */
#ifndef COALESCED_SERVER_QUEUE_QUEUE_CANCEL_H
#define COALESCED_SERVER_QUEUE_QUEUE_CANCEL_H

#include "base/error.h"

struct queue;

/* An experiment that is queued ends, and done(arg, NULL) is called after the commit. For one that runs the
   flag is set that queue_view_cancelled() reads, the device's worker is woken, done() is called at once
   from this thread, and the end follows. Returns 0; or -1 and never calls done(): ERROR_NOT_FOUND (the
   queue does not have it: it has ended or never was; ask the store), ERROR_CONFLICT (it has just ended and
   the store does not know yet), ERROR_MEMORY. When the store cannot write, done(arg, failed) is called and
   the experiment waits as before. */
int queue_cancel(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                 void *arg, struct error *error);

/* Cancels all of a sweep that has not ended. What is queued ends in one transaction; after its commit what
   runs is cancelled as by queue_cancel(), and done() is called. When the store cannot write, done(arg,
   failed) is called and all goes on. Returns and fails as queue_cancel(). */
int queue_cancel_sweep(struct queue *queue, const char *id,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

#endif

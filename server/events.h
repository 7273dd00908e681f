/* Who hears of it: wakes whoever waits for an experiment's next change of state. */
#ifndef COALESCED_SERVER_EVENTS_H
#define COALESCED_SERVER_EVENTS_H

#include "server/store/rows/job.h"

struct events;
struct events_waiter;

struct events *events_new(void); /* NULL: no memory */
/* Every waiter is cancelled. NULL is allowed. */
void events_free(struct events *events);

/* `wake` is called for each change of that experiment until events_cancel(), from the thread that publishes;
   with the lock of events held: it must not block, must not call into events, and must not take a lock that
   is held by anybody who calls events_wait() or events_cancel(). NULL: no memory. */
struct events_waiter *events_wait(struct events *events, const char *id,
                                  void (*wake)(void *arg, enum job_state state), void *arg);

/* After it returns `wake` is not running and will not be called. NULL is allowed. */
void events_cancel(struct events *events, struct events_waiter *waiter);

/* Fits struct queue_config.changed. */
void events_publish(void *events, const char *id, enum job_state state);

/* Fits queue_config.sweep_ended: to whoever waits for the sweep, that it succeeded in ending. */
void events_publish_sweep_ended(void *events, const char *sweep);

#endif

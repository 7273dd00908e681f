/* Who hears of it: wakes whoever waits for an experiment's next change of state. */
#ifndef COALESCED_SERVER_EVENTS_LONG_POLL_H
#define COALESCED_SERVER_EVENTS_LONG_POLL_H

#include "server/store/job.h"

struct long_poll;
struct long_poll_waiter;

struct long_poll *long_poll_new(void); /* NULL: no memory */
/* Every waiter is cancelled. NULL is allowed. */
void long_poll_free(struct long_poll *events);

/* `wake` is called for each change of that experiment until long_poll_cancel(), from the thread that publishes;
   with the lock of events held: it must not block, must not call into events, and must not take a lock that
   is held by anybody who calls long_poll_wait() or long_poll_cancel(). NULL: no memory. */
struct long_poll_waiter *long_poll_wait(struct long_poll *events, const char *id,
                                        void (*wake)(void *arg, enum job_state state), void *arg);

/* After it returns `wake` is not running and will not be called. NULL is allowed. */
void long_poll_cancel(struct long_poll *events, struct long_poll_waiter *waiter);

/* Fits struct queue_config.changed. */
void long_poll_publish(void *events, const char *id, enum job_state state);

/* Fits queue_config.sweep_ended: to whoever waits for the sweep, that it succeeded in ending. */
void long_poll_publish_sweep_ended(void *events, const char *sweep);

#endif

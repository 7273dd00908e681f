/* Wakes requests that wait for an experiment's next change of state, or for a sweep's end. Any thread. */
#pragma once

#include "server/store/job.h"

struct long_poll;
struct long_poll_waiter;

struct long_poll *long_poll_new(void); /* NULL: no memory */
/* No waiter may be left. NULL is allowed. */
void long_poll_free(struct long_poll *long_poll);

/* `wake` is called for each change of that experiment until long_poll_cancel(), by the thread that publishes
   it and with the lock of long polls held: it must not block, call these functions, or take a lock that a
   caller of long_poll_wait() or long_poll_cancel() holds. NULL: no memory. */
struct long_poll_waiter *long_poll_wait(struct long_poll *long_poll, const char *id,
                                        void (*wake)(void *arg, enum job_state state), void *arg);

/* When this returns, `wake` does not run and will not be called. NULL is allowed. */
void long_poll_cancel(struct long_poll *long_poll, struct long_poll_waiter *waiter);

/* Fits queue_config.changed. */
void long_poll_publish(void *long_poll, const char *id, enum job_state state);

/* The server's end of one executor of a device: starts it, puts one question at a time to it, tells how that ended, and
   puts a fresh one in the place of one that crashed, hung or lost its device. One that times proves itself by a self-test
   on a known copy before it gets work again. Keeps the device's row in devices.h.

   One thread uses a supervisor, the one that lives as long as the service: its end takes the executor along.
   No function waits without a limit. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_SUPERVISOR_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_SUPERVISOR_H

#include <stdbool.h>

#include "base/error.h"
#include "server/devices/devices.h"
#include "server/devices/executor/dialogue.h"

struct supervisor;

struct supervisor_config {
    int device;                 /* its index in devices */
    const char *const *command; /* argv, ended by NULL; "--device SPEC" and what follows is appended */
    const char *spec;           /* "auto:0", "cuda:1", "cpu" */
    const char *lock_dir;       /* passed on as "--lock-dir DIR"; NULL: the executor's own choice */
    bool own;      /* the command is this program: all that it leaves behind is ended with it. Another one, as
                                   ssh, may leave what others share */
    bool counting; /* passed on as "--counting": it is the sibling of the one that times */
    double idle_s; /* an executor with a context is ended after so long without work */
    struct dialogue_config dialogue;
};

/* Starts nothing yet. *config is copied, its texts too. devices may be NULL. 0, or -1: ERROR_MEMORY. */
int supervisor_new(struct supervisor **supervisor, const struct supervisor_config *config,
                   struct devices *devices, struct error *error);

/* Ends the executor. NULL is allowed. */
void supervisor_free(struct supervisor *supervisor);

/* Notices an executor that died or talks unasked, and ends one that has been idle for long; starts none. Costs next to
   nothing when all is well. */
void supervisor_tidy(struct supervisor *supervisor);

/* supervisor_tidy(), then starts a missing one, with a self-test where that is due. -1: there is none. Before it is tried again a
   pause must pass (1 s, doubling to 30 s): within it supervisor_ready() sleeps until its end or INTERRUPT_STOP, and
   supervisor_try() returns -1 at once. */
int supervisor_ready(struct supervisor *supervisor);
int supervisor_try(struct supervisor *supervisor);

/* Why supervisor_try() returned -1; valid until the next call. */
const char *supervisor_reason(const struct supervisor *supervisor);

/* After supervisor_ready() returned 0. Afterwards supervisor_usable() tells whether the next can follow at once. */
void supervisor_ask(struct supervisor *supervisor, const struct question *question, struct outcome *outcome);

bool supervisor_usable(const struct supervisor *supervisor);

/* The process of an executor that may hold a context; 0: there is none. */
int64_t supervisor_process(const struct supervisor *supervisor);

/* Ends an executor that may hold a context, and with it all that it holds on the device. False: there was none. */
bool supervisor_vacate(struct supervisor *supervisor);

/* Of the last hello: has the device counters, and may only one process at a time hold a context there? */
bool supervisor_can_count(const struct supervisor *supervisor);
bool supervisor_exclusive(const struct supervisor *supervisor);

/* Starts an executor, waits for its hello, ends it. Returns how many devices such an executor sees, or -1. Of
   *config the command, spec, lock_dir and dialogue.hello_s are used. */
int supervisor_probe(const struct supervisor_config *config, struct error *error);

#endif

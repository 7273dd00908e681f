/* The server's end of one device's executor: starts it, hands it one experiment at a time, tells how that
   ended, and puts a fresh one in the place of one that crashed, hung or lost its device. A fresh one proves
   itself on a known copy before it gets work again. Keeps the device's row in devices.h.

   One thread uses a supervisor, the one that lives as long as the service: its end takes the executor along.
   No function waits without a limit. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_H

#include <stdbool.h>

#include "api/protocol.h"
#include "base/error.h"
#include "server/devices/devices.h"

struct supervisor;

/* What the supervisor's owner wants while it waits. */
enum wish {
    WISH_NOTHING,
    WISH_CANCEL, /* of a run: end it now, its executor with it */
    WISH_STOP,   /* give up waiting; a run may go on for grace_s */
};

struct supervisor_config {
    int device;                 /* its index in devices */
    const char *const *command; /* argv, ended by NULL; "--device SPEC" and "--lock-dir DIR" are appended */
    const char *spec;           /* "auto:0", "cuda:1", "cpu" */
    const char *lock_dir;       /* NULL: no lock */
    double hello_s;             /* how long an executor may take to say hello */
    double idle_s;              /* an executor with a context is replaced after so long without work */
    double grace_s;             /* how long a run may go on after WISH_STOP */
    int wake_fd;                /* an eventfd that says: ask `wish` again; -1: none */
    enum wish (*wish)(void *arg);
    void *wish_arg;
    /* The experiments that will run next, of the same sweep as the one that runs; NULL: there never are any. A run that was
       told of some and fails is OUTCOME_DOUBTFUL. */
    void (*look_ahead)(void *wish_arg, struct ahead *ahead);
};

/* Starts nothing yet. *config is copied, its texts too. 0, or -1: ERROR_MEMORY. */
int supervisor_new(struct supervisor **supervisor, const struct supervisor_config *config,
                   struct devices *devices, struct error *error);

/* Ends the executor. NULL is allowed. */
void supervisor_free(struct supervisor *supervisor);

/* Makes sure that there is an executor that may be given work: notices one that died, replaces one that has
   been idle for long, starts a missing one and has it prove itself. Costs next to nothing when all is well.
   -1: there is none. Before it is tried again a pause must pass (1 s, doubling to 30 s); a call within the
   pause sleeps until its end or a wish. */
int supervisor_ready(struct supervisor *supervisor);

/* How one run ended. Free with outcome_free(). */
struct outcome {
    enum {
        OUTCOME_RESULT,    /* `result` */
        OUTCOME_FAILED,    /* `failure` says how; `result` perhaps */
        OUTCOME_UNTOUCHED, /* not of its own doing: never begun, or the service stops. To be run another time */
        OUTCOME_DOUBTFUL, /* `failure` while others were counted along: to be run again without them */
    } end;
    char *result;  /* JSON object or NULL */
    bool verified; /* the result says that its output was checked and is right */
    struct error failure;
};

/* After supervisor_ready() returned 0. Runs one experiment; `request` is a JSON object. Afterwards
   supervisor_usable() tells whether the next can follow at once. */
void supervisor_run(struct supervisor *supervisor, const char *id, const char *request, double timeout_s,
                    struct outcome *outcome);

bool supervisor_usable(const struct supervisor *supervisor);

void outcome_free(struct outcome *outcome);

/* Starts an executor, waits for its hello, ends it. Returns how many devices such an executor sees, or -1. Of
 *config the command, spec, lock_dir and hello_s are used. */
int supervisor_probe(const struct supervisor_config *config, struct error *error);

#endif

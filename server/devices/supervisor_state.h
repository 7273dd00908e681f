/* The executor of a supervisor (supervisor.h): its start and what that waits for, its end, and the pause
   after a failure. For supervisor.c alone, and tests. The supervisor's thread uses it; there is no lock. */
#pragma once

#include "server/devices/executor_question.h"

/* Pauses between tries: each is twice as long as the one before, and each new reason is logged once. All zero
   but `most_s` and `jitter` before the first failure. */
struct backoff {
    double most_s; /* the longest pause */
    bool jitter; /* pauses differ by a quarter, so that devices that failed together are not tried together */
    double pause_s;   /* the present pause; 0: all is well */
    int64_t until_ns; /* its end, on clock_monotonic_ns() */
    char logged[256]; /* the reason that was logged last */
};

/* The pause begins, 1 s the first time. `name` stands before the reason in the log. Reasons that differ in
   their numbers alone are the same. */
void backoff_fail(struct backoff *backoff, const char *name, const char *reason);
void backoff_works(struct backoff *backoff, const char *name);

/* True during a pause. */
bool backoff_lasts(const struct backoff *backoff);

enum { START_WAIT_BYTES = 256 };

/* What a start waits for, which on a cluster may be an allocation, for hours. All zero but `why` at its
   begin. */
struct start_wait {
    const char *const *why; /* argv of the command that says it, ended by NULL; NULL: there is none */
    struct child *command;  /* it, while it runs */
    int64_t asked_ns;       /* when it was started last; 0: never */
    char answer[96];        /* its last first line */
};

/* Looks again what a start waits for: the last lines that `starting` wrote to standard error, and the answer
   of the command `why`, which is run every few seconds. True: `text` changed. Waits at most for the end of a
   command that hangs. */
bool start_wait_look(struct start_wait *wait, const struct child *starting, char text[START_WAIT_BYTES]);

/* Ends the command. */
void start_wait_end(struct start_wait *wait);

struct supervisor {
    const struct executor_config *config;
    struct executor_callbacks callbacks;
    bool counting;
    const char **argv; /* its texts are borrowed */
    char name[96];     /* in the log */
    struct devices *devices;
    /* status.readiness is the state of the executor. UNHEALTHY: none may be started during the pause, or (with
       a child) the last one was killed and is not gone */
    struct device_status status;
    struct executor_session session; /* of the executor; child NULL: of the last one */
    struct start_wait start_wait;
    struct backoff backoff;
    int64_t process;         /* the executor's, by its hello; 0: none */
    bool busy;               /* it is being started or asked */
    struct child_exit ended; /* the last executor */
    bool test_due;           /* the next executor must pass a self-test before it gets work */
    int64_t used_ns;         /* when it last had work */
    int64_t over_ns;         /* until then an executor that was lost may still be at work */
    int published;           /* what the readiness callback was called with; -1: it was not */
};

/* Writes the device's row and calls the readiness callback, where either changed. */
void supervisor_publish(struct supervisor *s);

/* Starts an executor where there is none. 0; or -1: there is none, which was published, with when it may be
   tried again. */
int supervisor_start_executor(struct supervisor *s);

/* Ends the executor, which has patience_s to leave by itself; s->ended says how it ended. */
void supervisor_end_executor(struct supervisor *s, double patience_s);

/* The executor cannot be used, and no other is started for a while. Returns -1. */
int supervisor_fail(struct supervisor *s, const char *reason);

/* True when the last executor was killed and is not gone. */
bool supervisor_stuck(const struct supervisor *s);

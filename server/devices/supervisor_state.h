/* The state of a supervisor (supervisor.h) and its changes: for supervisor.c and executor_start.c alone. The
   supervisor's thread uses it; there is no lock. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_STATE_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_STATE_H

#include "server/devices/backoff.h"
#include "server/devices/supervisor_config.h"

enum { START_WAIT_BYTES = 256 };

/* What a start waits for. All zero but `why` at its begin. */
struct start_wait {
    const char *const *why; /* argv of the command that says it, ended by NULL; NULL: there is none */
    struct child *command;  /* it, while it runs */
    int64_t asked_ns;       /* when it was started last; 0: never */
    char answer[96];        /* its last first line */
};

struct supervisor {
    struct supervisor_config config; /* of its texts only the name and the argvs are copies, and used */
    const char **argv, **why;
    char name[96];
    struct devices *devices;
    struct device_status status;
    struct executor_session session; /* child NULL: there is no executor */
    struct start_wait start_wait;
    int64_t process;  /* the executor's, by its hello; 0: none */
    bool begun;       /* the executor has sent its hello and passed its test */
    bool busy;        /* it is being started or asked */
    bool resting;     /* it must not be started now */
    bool stuck;       /* it was killed and is not gone */
    bool killed;      /* the last one was, by another process */
    bool crashed;     /* the last one did */
    bool test_due;    /* the next executor must pass a self-test before it gets work */
    int64_t hello_ns; /* when the hello came */
    int64_t used_ns;  /* when it last had work */
    int64_t over_ns;  /* until then an executor that was lost may still be at work */
    struct backoff backoff;
    bool published; /* the readiness callback was called, with: */
    enum device_readiness published_readiness;
    bool published_context;
};

/* The process of an executor that may hold a context; 0: there is none. */
int64_t supervisor_state_process(const struct supervisor *s);

/* Writes the device's row and calls the readiness callback, where either changed. */
void supervisor_state_publish(struct supervisor *s);

/* Ends the executor, which has patience_s to leave by itself; says in *how (may be NULL) how it ended. */
void supervisor_state_discard(struct supervisor *s, double patience_s, char *how, size_t size);

/* The executor cannot be used, and no other is started for a while. Returns -1. */
int supervisor_state_unhealthy(struct supervisor *s, const char *reason);

/* There is an executor that can be used. */
void supervisor_state_healthy(struct supervisor *s);

#endif

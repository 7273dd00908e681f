/* What a supervisor knows (supervisor.h), and how its changes are told: for it and for start.h alone. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_STATE_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_STATE_H

#include "server/devices/backoff.h"
#include "server/devices/supervisor_config.h"
#include "server/devices/start_wait.h"

struct supervisor {
    struct supervisor_config config; /* of its texts only the name and the argvs are ours, and used */
    const char **argv, **why;
    char name[96];
    struct devices *devices;
    struct device_status status;
    struct executor_session executor_session; /* child NULL: no executor */
    struct start_wait waiting;
    int64_t process;      /* the executor's, by its own word; 0: none */
    bool begun;           /* the executor has said hello and proved itself */
    bool busy;            /* it is being started or asked */
    bool resting;         /* it must not be tried now */
    bool stuck;           /* the child was killed and is not gone */
    bool killed, crashed; /* the last one was, by somebody else; or by itself */
    bool test_due;        /* the next executor must show a verified copy before it gets work */
    int64_t hello_ns;     /* when the executor was there */
    int64_t used_ns;      /* when it last had work */
    int64_t over_ns;      /* until then one that was lost may still be at work somewhere */
    struct backoff backoff;
    enum device_readiness told; /* last, with `told_context` */
    bool told_context, telling; /* telling: something was told */
};

/* The process of an executor that may hold a context; 0: there is none. */
int64_t supervisor_state_process(const struct supervisor *s);

/* Tells whoever wants to know how the device is now. */
void supervisor_state_publish(struct supervisor *s);

/* Ends the executor, which has patience_s to leave by itself; tells in *how (may be NULL) how it ended. */
void supervisor_state_discard(struct supervisor *s, double patience_s, char *how, size_t size);

/* The executor cannot be used, and neither can another one for a while. Returns -1. */
int supervisor_state_unhealthy(struct supervisor *s, const char *reason);

/* There is an executor that can be used. */
void supervisor_state_healthy(struct supervisor *s);

#endif

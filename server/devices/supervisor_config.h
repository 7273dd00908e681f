/* What a supervisor (supervisor.h) is told of its executor. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_CONFIG_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_CONFIG_H

#include <stdbool.h>

#include "server/devices/devices.h"
#include "server/devices/executor_session.h"

struct supervisor_config {
    int device;                 /* its index in devices */
    const char *name;           /* for the log; NULL: "device 0" */
    const char *const *command; /* argv, ended by NULL; "--device SPEC" and what follows is appended */
    const char *const *why;     /* asked what a start waits for (waiting.h); NULL: nobody is */
    const char *spec;           /* "auto:0", "cuda:1", "cpu" */
    const char *lock_dir;       /* passed on as "--lock-dir DIR"; NULL: the executor's own choice */
    bool
        own; /* the command is this program: all that it leaves behind is ended with it, and its end is seen. Another one, as
                 ssh, may leave what others share, and its end is not that of what it started */
    bool counting; /* passed on as "--counting": it is the counting executor of the one that times */
    bool release;  /* let go when idle, context or not, and started when it is needed */
    double
        /* an executor is let go after so long without work: one with a context, or with `release` any */
        idle_s;
    double hold_s; /* with `release`: but not earlier than so long after its hello */
    struct executor_session_config executor_session;
    /* Is told whenever it changes how soon the device could begin. From the supervisor's thread, and from supervisor_new();
       must not block. NULL: nobody is. */
    void (*readiness)(void *arg, enum device_readiness readiness, bool context);
    void *readiness_arg;
};

#endif

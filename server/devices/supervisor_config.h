/* What a supervisor (supervisor.h) knows of its executor from the list of devices, and its callbacks. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_CONFIG_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_CONFIG_H

#include <stdbool.h>

#include "server/devices/devices.h"
#include "server/devices/executor_question.h"

struct supervisor_config {
    int device;                 /* its number in devices.h */
    const char *name;           /* for the log; NULL: "device 0" */
    const char *const *command; /* argv, ended by NULL; "--device SPEC" and what follows is appended */
    const char *const *why;     /* argv of the command that says what a start waits for; NULL: none */
    const char *spec;           /* "auto:0", "cuda:1", "cpu" */
    const char *lock_dir;       /* passed on as "--lock-dir DIR"; NULL: the executor's own choice */
    /* The command is this program on this machine: its descendants are ended with it, and its end is seen.
       Another command, such as ssh, may leave processes that others share, and its end is not that of the
       executor behind it. */
    bool own;
    bool counting; /* passed on as "--counting": it is the device's counting executor */
    bool release;  /* ended when it is idle, with a context or without, and started when it is needed */
    double idle_s; /* how long without work until it is ended: with a context, or with `release` */
    double hold_s; /* with `release`: at the earliest so long after its hello */
    struct executor_session_config session;
    /* Called whenever it changes how soon the device could begin work: from the supervisor's thread, and from
       supervisor_new(). Must not block. May be NULL. */
    void (*readiness)(void *arg, enum device_readiness readiness, bool context);
    void *readiness_arg;
};

#endif

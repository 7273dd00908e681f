/* The plain structs that the queue's headers share: configuration, tasks, holds, positions, readiness of devices. */
#pragma once

#include "api/device_set.h"
#include "api/samples.h"
#include "base/error.h"
#include "server/store/job.h"

/* A request for which devices are to be selected (queue_config.select). */
struct queue_selection {
    const char *request; /* JSON object, borrowed */
    /* Set by select(): the listed devices that may run it (empty: none is known now), and
       sweep_experiment.open. */
    struct device_set devices;
    bool open;
    char id[ID_BYTES]; /* the queue's own */
};

struct queue_config {
    int devices; /* upper bound of device numbers, whether a device has the number or not */
    const struct device_set *listed; /* devices that exist when the queue opens; NULL: all numbers */
    int limit;                       /* experiments that may wait, for all devices together */
    int owner_limit;                 /* of one owner; 0: only `limit` applies. See queue_limits.h */
    double owner_seconds;            /* sum of the time limits of what one owner has waiting; 0: no limit */
    double half_life_s;              /* of an owner's usage of the devices; 0: an hour */
    int attempts;                    /* runs that an experiment may lose before it fails */

    /* An experiment's state has changed, and that is committed. JOB_STATES: `id` is a sweep, and all of its
       experiments have ended. May be NULL. */
    void (*changed)(void *arg, const char *id, enum job_state state);
    void *changed_arg;

    /* Selects the devices for these requests, as the devices are at one moment. Called when the queue opens, when
       devices come or leave, and when one is ready for the first time, because its properties are known only then.
       One thread calls it at a time, without the queue's lock: it may take long. An experiment for which it knows
       no device waits for the next selection. NULL: devices stay as submitted, and are all listed ones after a
       restart. */
    void (*select)(void *arg, struct queue_selection *selections, int count);
    void *select_arg;

    /* Devices whose executors may outlive the server, and for how long. What a server that died left running there
       does not begin again before that time has passed. NULL, 0: none. */
    const struct device_set *outliving;
    double outlive_s;

    int64_t (*now_ns)(void); /* clock for run times and usage; NULL: the monotonic clock */
};

/* An experiment that a worker holds. Borrowed from the queue until queue_worker_next() or
   queue_worker_hand_back(). */
struct task {
    char id[ID_BYTES];
    int device, attempt; /* device: -1 while it waits and is unbound */
    double timeout_s;
    double array_bytes; /* of its arrays; 0: not known, as after a restart */
    const char *request;
    const char *sweep, *owner; /* set while a worker holds it; NULL or empty: none, without a name */
};

/* How a task ended. */
struct ending {
    enum job_state state;          /* JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED */
    const char *result;            /* JSON object; may be NULL */
    const struct samples *samples; /* stored with the result; empty or NULL: none */
    const struct error *failure;   /* NULL when it succeeded */
};

enum { QUEUE_ALL_DEVICES = -1 };

struct queue_hold {
    bool held;
    char owner[USER_NAME_BYTES]; /* who did it; empty: without a name */
    int64_t since_ms;            /* wall clock */
};

struct queue_position {
    int position;   /* 0: it runs, or is next while nothing runs; -1: it is neither queued nor running */
    double ahead_s; /* duration of all before it; 0: nothing is before it; negative: not known, or held */
    double own_s;   /* its own, from recent runs of its owner or else of the device; negative: not known */
    bool paused;    /* it does not begin before one of its devices, or all devices, are resumed */
    bool running;   /* on `device`, for queue_view_position() alone, as the next */
    bool cancelled; /* its cancellation was requested while it ran */
    bool ended;     /* it has ended, and that is not committed yet */
    int device;
};

/* How soon a device can begin an experiment. */
enum queue_readiness {
    QUEUE_OUT,      /* not usable now: unhealthy, backing off */
    QUEUE_AWAY,     /* it has no executor, and starting one may take long or cost an allocation */
    QUEUE_STARTING, /* its executor is being started */
    QUEUE_COLD,     /* it has an executor without a CUDA context; the state of each device at first */
    QUEUE_WARM,     /* it has an executor with a context */
};

/* What the service knows of its devices. Their supervisors and the pool (device_pool.h) write it, everybody
   else reads it.

   A device is known by its name. The name has a number as long as anything that is stored refers to it
   (device_identity.h); the numbers of the listed devices need not be dense. Any thread; one lock inside,
   which is never held during a callback. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/device_fit.h"
#include "api/device_set.h"
#include "kernels/facts.h"
#include "kernels/live.h"
#include "server/queue/queue_types.h"

enum { DEVICES_MAX = DEVICE_SET_MOST, DEVICE_NAME_BYTES = 64, DEVICE_NOTE_BYTES = 256 };

/* A device in the operator's list. */
struct device_listing {
    char name[DEVICE_NAME_BYTES];
    char note[DEVICE_NOTE_BYTES]; /* empty: none */
    bool own;                     /* its executors are this program, on this machine */
    bool release;                 /* an idle device has no executor */
    bool counting;                /* a second executor of it may count, where the device can */
    double idle_s;                /* after so long without work its executor is ended, */
    double hold_s;                /* but not earlier than so long after its start */
    double start_s;               /* how long its executor may take to send its hello */
};

/* How soon a device can begin a run. */
enum device_readiness {
    DEVICE_UNHEALTHY, /* no executor can be started; `reason` says why, and it is tried again */
    DEVICE_AWAY,      /* there is no executor; one is started when there is work */
    DEVICE_STARTING, /* an executor was started and has not sent its hello; `reason` may say what it waits for */
    DEVICE_READY,
};

struct device_status {
    bool known;       /* facts hold: an executor sent its hello once, perhaps before the service's start */
    bool failed;      /* a start of its executor failed since the service's start */
    bool healthy;     /* an executor answers or can be started */
    char reason[256]; /* why it is not healthy; during a start: what it waits for, or empty */
    enum device_readiness readiness;
    pid_t executor; /* 0: none */
    bool context;   /* the executor has run something and may hold memory on the device */
    /* Our processes that may hold a context: the executor that times, and the counting executor. The second
       is set by devices_set_counting() alone. */
    struct live_own own;
    int64_t runs;            /* experiments given to the device */
    int64_t failures;        /* of them those that its executors did not survive */
    char executor_build[64]; /* the commit of the last executor, by its hello; empty: there was none */
    struct device_facts facts;
    bool can_count; /* by the last hello: it has hardware counters */
};

/* "healthy"; "starting": nothing is known of it before its first executor, which is being started;
   "unhealthy". Static. */
const char *devices_health(const struct device_status *status);

/* Why nothing can be run on a device of that status; NULL: something can. A device that is AWAY or STARTING
   can be used when its facts are known. */
const char *devices_unusable_reason(const struct device_status *status);

struct devices;

/* Numbers are below `max`. NULL: no memory. */
struct devices *devices_new(int max);
void devices_free(struct devices *devices);

/* All numbers that were ever given are below it. */
int devices_count(struct devices *devices);

/* The devices of the list. */
struct device_set devices_listed(struct devices *devices);

/* The number of that name, listed or not; -1: it has none. */
int devices_named(struct devices *devices, const char *name);

/* The name of that number; empty where no device ever had it. */
void devices_name(struct devices *devices, int number, char name[DEVICE_NAME_BYTES]);

/* The device's entry; of one that left the list, all but the name may be empty. False: no device has that
   number. */
bool devices_listing(struct devices *devices, int number, struct device_listing *listing);

/* False: no device can have that number. */
bool devices_get(struct devices *devices, int number, struct device_status *status);

/* True when a run is possible on a listed device. After the service's start it is false until the first start
   of each listed device has ended, so that a client that waits for readiness may name any of them: for
   executors that are this program without a limit, for others, which may wait in a scheduler's queue, for ten
   seconds. */
bool devices_usable(struct devices *devices);

/* The devices of one moment, for what chooses among them: a request that is submitted, and the queue when it
   selects anew. */
struct device_snapshot {
    struct device_offers offers;
    int first; /* the number of the list's first device; -1: the list is empty */
    /* what the offers are made of */
    struct device_offer at[DEVICES_MAX];
    char names[DEVICES_MAX][DEVICE_NAME_BYTES];
    struct device_facts facts[DEVICES_MAX];
};

/* To be freed with free(); NULL: no memory. */
struct device_snapshot *device_snapshot_new(struct devices *devices);

/* Fits queue_config.select; `devices` is the struct devices. All requests see the devices of one moment.
   Takes some 20 us a request; without memory no device fits any of them. */
void device_snapshot_select(void *devices, struct queue_selection *selections, int count);

/* For the pool alone: gives the number its name and entry; forgets the number's device, which has no
   supervisor any more; says which devices are listed. */
void devices_set_listing(struct devices *devices, int number, const struct device_listing *listing);
void devices_forget(struct devices *devices, int number);
void devices_set_listed(struct devices *devices, const struct device_set *listed, int first);

/* For the supervisor of the device's executor that times. */
void devices_set(struct devices *devices, int number, const struct device_status *status);

/* For the supervisor of the device's counting executor. 0: it holds no context. */
void devices_set_counting(struct devices *devices, int number, int64_t pid);

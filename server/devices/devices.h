/* What the service knows of its devices: told by their supervisors and by the pool (pool/pool.h), read by whoever answers
   questions. A device is known by its name, which keeps its number until nothing stored refers to it and another name needs
   the number (pool/identity.h); the numbers of those that are in the list now need not be dense. Any thread. */
#ifndef COALESCED_SERVER_DEVICES_DEVICES_H
#define COALESCED_SERVER_DEVICES_DEVICES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/device_set.h"
#include "kernels/facts.h"
#include "kernels/live.h"

enum { DEVICES_MAX = DEVICE_SET_MOST, DEVICE_NAME_BYTES = 64, DEVICE_NOTE_BYTES = 256 };

/* What the operator says of a device. */
struct device_listing {
    char name[DEVICE_NAME_BYTES];
    char note[DEVICE_NOTE_BYTES]; /* empty: none */
    bool own;                     /* its executors are this program, on this machine */
    bool release;                 /* no process of it is left when it is idle */
    bool counting;                /* a second executor of it may count, where the device can */
    double idle_s, hold_s; /* after so long without work, but not earlier than so long after its start */
    double start_s;        /* how long its executor may take to say hello */
};

/* How far a device is from running something. */
enum device_readiness {
    DEVICE_UNHEALTHY, /* no executor can be started; `reason` says why, and it is tried again */
    DEVICE_AWAY,      /* none is there, and none is needed: one is started when there is work */
    DEVICE_STARTING,  /* one was started and has not said hello; `reason` may say what it waits for */
    DEVICE_READY,
};

struct device_status {
    bool known;  /* facts hold: an executor said hello at least once, now or before the service was started */
    bool failed; /* a start of its executor has, since the service was started */
    bool healthy;     /* an executor answers or can be started */
    char reason[256]; /* why it is not healthy; while it is starting: what it waits for, or empty */
    enum device_readiness readiness;
    pid_t executor; /* 0: none */
    bool context;   /* the executor has run something and may hold memory on the device */
    /* Which processes of ours may hold a context: the first is the executor that times, its counting executor counts. The second is
       set by devices_set_counting() alone. */
    struct live_own own;
    int64_t runs,
        failures; /* experiments given to the device, and those that its executors did not survive */
    char executor_build[64]; /* the commit of the last executor, by its hello; empty: there was none */
    struct device_facts facts;
    bool can_count; /* as facts: it has hardware counters */
};

/* "healthy"; "starting": it cannot be used yet, because nothing is known of it before its first executor is there, which is
   waited for, or about to be started; "unhealthy". */
const char *device_health(const struct device_status *status);

/* NULL, or why nothing can be run there. One that is away or was started for work is as good as its facts are known. */
const char *device_wrong(const struct device_status *status);

struct devices;

struct devices *devices_new(int most); /* numbers are below it; NULL: no memory */
void devices_free(struct devices *devices);

/* The numbers of all devices that there ever were are below it. */
int devices_count(struct devices *devices);

/* Those that are in the list now. */
struct device_set devices_present(struct devices *devices);

/* The number of the first one of the list; -1: none is in it. */
int devices_first(struct devices *devices);

/* The number of that name, be it in the list or not; -1: there never was one. */
int devices_named(struct devices *devices, const char *name);

/* How it stands in the list; of one that left, all but the name may be empty. False: no device ever had that number. */
bool devices_listing(struct devices *devices, int number, struct device_listing *listing);

/* For the pool alone: gives the number its name and what else is said of it. */
void devices_list(struct devices *devices, int number, const struct device_listing *listing);

/* For the pool alone: the number's device is forgotten, and no supervisor of it is left. */
void devices_forget(struct devices *devices, int number);

/* For the pool alone: from here on these are in the list. */
void devices_set_present(struct devices *devices, const struct device_set *present, int first);

/* False: no device can have that number. */
bool devices_get(struct devices *devices, int index, struct device_status *status);

/* Is there one in the list on which something can be run? At the service's start not before the first start of each one of
   the list has ended: who is told that all is ready names any of them. Executors that are this program's are waited for
   until they can or cannot be used, others, which may stand in a scheduler's queue, for ten seconds. */
bool devices_usable(struct devices *devices);

/* For the one supervisor of that device. */
void devices_set(struct devices *devices, int index, const struct device_status *status);

/* For the one supervisor of that device's executor that counts. 0: it holds no context. */
void devices_set_counting(struct devices *devices, int index, int64_t pid);

#endif

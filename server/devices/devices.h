/* What the service knows of its devices: told by their supervisors, read by whoever answers questions.
   Any thread. */
#ifndef COALESCED_SERVER_DEVICES_DEVICES_H
#define COALESCED_SERVER_DEVICES_DEVICES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernels/facts.h"
#include "kernels/live.h"

enum { DEVICES_MAX = 16 };

struct device_status {
    bool known;       /* facts hold: an executor said hello at least once */
    bool healthy;     /* an executor answers or can be started */
    char reason[256]; /* why it is not healthy */
    pid_t executor;   /* 0: none */
    bool context;     /* the executor has run something and may hold memory on the device */
    /* Which processes of ours may hold a context: the first is the executor that times, its sibling counts. The second is
       set by devices_set_counting() alone. */
    struct live_own own;
    int64_t runs,
        failures; /* experiments given to the device, and those that its executors did not survive */
    struct device_facts facts;
};

struct devices;

struct devices *devices_new(int count); /* NULL: no memory */
void devices_free(struct devices *devices);
int devices_count(const struct devices *devices);

/* False: there is no such index. */
bool devices_get(struct devices *devices, int index, struct device_status *status);

/* For the one supervisor of that device. */
void devices_set(struct devices *devices, int index, const struct device_status *status);

/* For the one supervisor of that device's executor that counts. 0: it holds no context. */
void devices_set_counting(struct devices *devices, int index, int64_t pid);

#endif

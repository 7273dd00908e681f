/* Attempts to calibrate a device: from submitting a sweep to storing the constants that are fitted to it.
   Private to the folder. */
#pragma once

#include <pthread.h>

#include "api/calibration_plan.h"
#include "server/calibration/calibration_waiter.h"
#include "server/calibration/stored_calibrations.h"

struct queue;

enum { ATTEMPT_IDENTITY_BYTES = 192 };

#define ATTEMPT_STOPPING "the service is stopping"

enum attempt_stage { ATTEMPT_NONE, ATTEMPT_SUBMITTING, ATTEMPT_SUBMITTED };

/* What all attempts share. The lock is not held while the queue or the store is called. */
struct attempts {
    struct store *store;
    struct queue *queue;
    struct devices *devices;
    bool automatic; /* attempts also begin unasked */
    struct stored_calibrations stored;
    pthread_mutex_t lock;
    pthread_cond_t change; /* wakes the thread */
    bool stopping;         /* guarded by the lock: the thread ends, and waiters fail */
};

/* Of one device. */
struct attempt {
    struct attempts *attempts;
    int device;

    /* Guarded by the lock. */
    struct calibration_waiters waiters;
    enum attempt_stage stage;
    char sweep[ID_BYTES]; /* empty: not known yet */
    char failure[512];    /* empty: none */

    /* The thread's. */
    char name[DEVICE_NAME_BYTES];            /* the device's; another name makes all of this void */
    struct calibration_plan plan;            /* borrowed by what is being submitted, like the key */
    char key[ATTEMPT_IDENTITY_BYTES];        /* what the last one was submitted for; empty: none was */
    char failed_for[ATTEMPT_IDENTITY_BYTES]; /* the key of the last one that failed; empty: none did */
    int64_t idle_since_ns;                   /* monotonic time; 0: it is not idle */
    bool resumed; /* the store was asked for a sweep that the last run of the server left unfinished */
};

/* NULL, or why the model of time is not for a device; static. */
const char *attempt_unfit(const struct device_status *status);

/* 0 when the device can be calibrated, with its status; or -1: ERROR_CONFLICT (it is not in the list, or
   attempt_unfit()), ERROR_UNAVAILABLE (it has not said hello yet). */
int attempt_check(const struct attempt *attempt, struct device_status *status, struct error *error);

/* Calls done() of all waiters: NULL when the sweep is on disk, or why it is not. */
void attempt_answer(struct attempt *attempt, const struct error *failed);

/* For the one thread: looks at a device and does what is due, for half a second at most. True: it is to be
   looked at again soon. */
bool attempt_look(struct attempt *attempt);

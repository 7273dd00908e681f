/* Attempts to calibrate a device: from asking, over its sweep, to what is kept. Private to the folder. */
#ifndef COALESCED_SERVER_CALIBRATION_ATTEMPT_H
#define COALESCED_SERVER_CALIBRATION_ATTEMPT_H

#include <pthread.h>

#include "api/calibration_plan.h"
#include "server/calibration/asker.h"
#include "server/calibration/stored_calibrations.h"

enum { ATTEMPT_IDENTITY_BYTES = 192 };

#define ATTEMPT_STOPPING "the service is stopping"

enum attempt_stage { ATTEMPT_NONE, ATTEMPT_SUBMITTING, ATTEMPT_SUBMITTED };

/* What all attempts have in common. The lock is not held while the queue or the store is called. */
struct attempts {
    struct store *store;
    struct queue *queue;
    struct devices *devices;
    bool automatic; /* they are made unasked, too */
    struct stored_calibrations kept;
    pthread_mutex_t lock;
    pthread_cond_t change; /* of an attempt, for the thread */
    bool stopping;         /* guarded by the lock: the thread ends, and whoever asks is told so */
};

/* Of one device. Guarded by the lock, but for what is the thread's. */
struct attempt {
    struct attempts *attempts;
    int device;
    struct calibrations_asker *askers; /* who wait until it is on disk */
    enum attempt_stage stage;
    char sweep[ID_BYTES]; /* empty: not known yet */
    char failure[512];    /* empty: none */

    /* The thread's. */
    char name
        /* the device's; under another one the number is another device's, and all this is void */
        [DEVICE_NAME_BYTES];
    struct calibration_plan plan;            /* borrowed, as the key, by what is being submitted */
    char key[ATTEMPT_IDENTITY_BYTES];        /* what the last one was submitted for; empty: none was */
    char failed_for[ATTEMPT_IDENTITY_BYTES]; /* the key of the last one that failed; empty: none did */
    int64_t idle_since_ns;                   /* 0: it is not idle */
    bool resumed; /* the store was asked what the service before this one left unfinished */
};

/* NULL, or why the model of time is not for a device; static. */
const char *attempt_unfit(const struct device_status *status);

/* Can a device be calibrated? 0; or -1: ERROR_UNAVAILABLE (it has not said hello yet), ERROR_CONFLICT (attempt_unfit()). */
int attempt_check(int device, const struct device_status *status, struct error *error);

/* Tells all who wait: it is on disk (NULL), or why it is not. */
void attempt_tell(struct attempt *attempt, const struct error *failed);

/* For the one thread: looks at a device, and does what is to be done. Half a second at most. True: it is at something, and
   wants to be looked at again soon. */
bool attempt_look(struct attempt *attempt);

#endif

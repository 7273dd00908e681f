/* The newest calibration of each device, in memory, as the store has them. Any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "kernels/calibrations/calibration.h"
#include "server/devices/devices.h"
#include "server/store/store.h"

struct stored_calibration {
    char uuid[64]; /* of the device */
    char sweep[ID_BYTES];
    struct calibration calibration;
};

struct stored_calibrations {
    pthread_mutex_t lock; /* guards what follows */
    struct stored_calibration *at;
    int count;
};

/* Reads what the store has. A calibration that cannot be read, because another build wrote it, is left out. 0
   or -1; in either case to be given to stored_calibrations_close(). */
int stored_calibrations_open(struct stored_calibrations *all, struct store *store, struct error *error);
void stored_calibrations_close(struct stored_calibrations *all);

/* The newest with that device's uuid, device's name (whatever the case of its letters) and sweep; NULL: any.
   False: there is none, and *stored is as it was. */
bool stored_calibrations_find(struct stored_calibrations *all, const char *uuid, const char *name,
                              const char *sweep, struct stored_calibration *stored);

/* Replaces the device's one. -1: no memory. */
int stored_calibrations_put(struct stored_calibrations *all, const struct stored_calibration *stored);

/* True when it was made with the driver and build that the device has now. */
bool stored_calibrations_fresh(const struct stored_calibration *stored, const struct device_status *status);

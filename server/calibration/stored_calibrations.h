/* The calibrations that are kept: of each device the newest, in memory, as the store has them. Any thread. */
#ifndef COALESCED_SERVER_CALIBRATION_STORED_CALIBRATIONS_H
#define COALESCED_SERVER_CALIBRATION_STORED_CALIBRATIONS_H

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

/* Reads what the store has; what cannot be read is of another build, and as if it were not there. In either case to be given
   to stored_calibrations_close(). 0 or -1. */
int stored_calibrations_open(struct stored_calibrations *all, struct store *store, struct error *error);
void stored_calibrations_close(struct stored_calibrations *all);

/* That of a device. False: there is none, *kept is as it was. */
bool stored_calibrations_of_device(struct stored_calibrations *all, const char *uuid,
                                   struct stored_calibration *kept);

/* The newest of devices of that name, letters alike whether large or small. False: there is none. */
bool stored_calibrations_of_name(struct stored_calibrations *all, const char *name,
                                 struct calibration *calibration);

/* Is there one that was made from that sweep? */
bool kept_of_sweep(struct stored_calibrations *all, const char *sweep);

/* Takes the place of the device's one. -1: no memory. */
int stored_calibrations_put(struct stored_calibrations *all, const struct stored_calibration *kept);

/* Is it of the device's driver and build as they are now? */
bool stored_calibrations_fresh(const struct stored_calibration *kept, const struct device_status *status);

#endif

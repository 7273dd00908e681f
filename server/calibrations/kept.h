/* The calibrations that are kept: of each device the newest, in memory, as the store has them. Any thread. */
#ifndef COALESCED_SERVER_CALIBRATIONS_KEPT_H
#define COALESCED_SERVER_CALIBRATIONS_KEPT_H

#include <pthread.h>
#include <stdbool.h>

#include "kernels/calibrations/calibration.h"
#include "server/devices/devices.h"
#include "server/store/store.h"

struct kept {
    char uuid[64]; /* of the device */
    char sweep[ID_BYTES];
    struct calibration calibration;
};

struct kept_all {
    pthread_mutex_t lock; /* guards what follows */
    struct kept *at;
    int count;
};

/* Reads what the store has; what cannot be read is of another build, and as if it were not there. In either case to be given
   to kept_close(). 0 or -1. */
int kept_open(struct kept_all *all, struct store *store, struct error *error);
void kept_close(struct kept_all *all);

/* That of a device. False: there is none, *kept is as it was. */
bool kept_of_device(struct kept_all *all, const char *uuid, struct kept *kept);

/* The newest of devices of that name, letters alike whether large or small. False: there is none. */
bool kept_of_name(struct kept_all *all, const char *name, struct calibration *calibration);

/* Is there one that was made from that sweep? */
bool kept_of_sweep(struct kept_all *all, const char *sweep);

/* Takes the place of the device's one. -1: no memory. */
int kept_put(struct kept_all *all, const struct kept *kept);

/* Is it of the device's driver and build as they are now? */
bool kept_fresh(const struct kept *kept, const struct device_status *status);

#endif

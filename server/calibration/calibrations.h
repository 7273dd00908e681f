/* What the times of devices are made of (kernels/calibrations/): made by experiments that the service submits itself, kept in
   the store, and read by whoever predicts.

   A calibration is an ordinary sweep, of the owner `calibration` and of the least priority, so it is seen, verified and
   cancelled as any other. One thread looks after all devices: it submits when somebody asked, or by itself when a device has
   none that is fresh and nothing to do; and when the sweep has ended it fits the constants and keeps them. A sweep that the
   service before this one left unfinished is found in the store and taken up. */
#ifndef COALESCED_SERVER_CALIBRATION_CALIBRATIONS_H
#define COALESCED_SERVER_CALIBRATION_CALIBRATIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "kernels/calibrations/calibration.h"
#include "server/calibration/asker.h"
#include "server/devices/devices.h"
#include "server/store/store.h"

struct calibrations;

struct calibrations_config {
    struct store *store; /* borrowed, as the next two */
    struct queue *queue;
    struct devices *devices;
    bool automatic;
};

/* Reads what is kept and starts the thread. 0 or -1. */
int calibrations_start(struct calibrations **calibrations, const struct calibrations_config *config,
                       struct error *error);

/* Ends the thread: nothing is submitted any more, whoever asked is told (at the latest by the commit of what is just being
   submitted), and so is whoever asks later. Before the server waits for its requests. NULL is allowed. */
void calibrations_stop(struct calibrations *calibrations);

/* After calibrations_stop() and queue_admin_close(), which ends what was just being submitted. NULL is allowed. */
void calibrations_free(struct calibrations *calibrations);

enum calibrations_state {
    CALIBRATIONS_NONE,
    CALIBRATIONS_RUNNING,
    CALIBRATIONS_MADE,
    CALIBRATIONS_STALE,
    CALIBRATIONS_SHIPPED
};

struct calibrations_view {
    enum calibrations_state state;
    bool automatic;
    bool given; /* `calibration` holds, whatever the state */
    struct calibration calibration;
    char sweep[ID_BYTES]; /* empty: none */
    char reason[384];     /* empty: it is made or running */
    char failure[512];    /* of the last attempt; empty: none */
};

/* How a device stands. Any thread. */
void calibrations_get(struct calibrations *calibrations, int device, struct calibrations_view *view);

/* Asks for a new one; where one is being made that is all. Any thread. 0: done() comes, perhaps before this returns; or -1 and
   it never does: ERROR_CONFLICT (the model of time is not for this device, or it is not in the list), ERROR_UNAVAILABLE (it has
   not said hello yet, or the service is stopping). */
int calibrations_ask(struct calibrations *calibrations, int device, struct calibrations_asker *asker,
                     struct error *error);

/* The constants of devices of that name ("NVIDIA H200", letters alike whether large or small): the newest that a device of
   this service has made, else what is shipped. 0; or -1: there are none. Any thread. */
int calibrations_of(struct calibrations *calibrations, const char *device_name,
                    struct calibration *calibration);

/* The constants that this very device has made, as calibration_write() writes them, to be freed; NULL: it has made none, or
   there is no memory. Any thread. Fits worker_callbacks.calibration: `arg` is struct calibrations. */
char *calibrations_text(void *arg, int device);

#endif

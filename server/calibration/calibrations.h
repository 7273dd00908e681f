/* Calibrates devices: the constants of their times (kernels/calibrations/) are fitted to experiments that the
   server submits itself, stored, and read by predictions.

   A calibration is an ordinary sweep, of the owner `calibration` and of the least priority. One thread looks
   after all devices: it submits when somebody asks, or by itself when a device has no fresh calibration and
   nothing to do; when the sweep has ended it fits the constants and stores them. A sweep that the last run of
   the server left unfinished is found in the store and taken up. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "kernels/calibrations/calibration.h"
#include "server/calibration/calibration_waiter.h"
#include "server/devices/devices.h"
#include "server/store/store.h"

struct calibrations;
struct queue;

/* Reads the stored calibrations and starts the thread. Borrows all three; `automatic`: also calibrates unasked.
   0 or -1. */
int calibrations_start(struct calibrations **calibrations, struct store *store, struct queue *queue,
                       struct devices *devices, bool automatic, struct error *error);

/* Ends the thread: nothing is submitted any more, and all waiters fail (at the latest with the commit of what
   is just being submitted), as later ones do. Before the server waits for its requests. NULL is allowed. */
void calibrations_stop(struct calibrations *calibrations);

/* After calibrations_stop() and queue_close(), which ends what was just being submitted. NULL is
   allowed. */
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
    bool given; /* `calibration` is set, whatever the state */
    struct calibration calibration;
    char sweep[ID_BYTES]; /* empty: none */
    char reason[384];     /* empty: it is made or running */
    char failure[512];    /* of the last attempt; empty: none */
};

/* The state of a device's calibration. Any thread. */
void calibrations_get(struct calibrations *calibrations, int device, struct calibrations_view *view);

/* Asks for a new calibration; while one is being made, waits for that one. Any thread. 0: done() is called,
   perhaps before this returns; or -1 and it never is: ERROR_CONFLICT (the model of time is not for this
   device, or it is not in the list), ERROR_UNAVAILABLE (no hello yet, or the server is stopping). */
int calibrations_ask(struct calibrations *calibrations, int device, struct calibration_waiter *waiter,
                     struct error *error);

/* The constants of devices of that name ("NVIDIA H200", whatever the case of its letters): the newest that a
   device of this server has, else the shipped ones. 0; or -1: there are none. Any thread. */
int calibrations_of(struct calibrations *calibrations, const char *device_name,
                    struct calibration *calibration);

/* The constants of this very device as calibration_json_write() writes them, to be freed; NULL: it has none
   of its own, or there is no memory. Any thread. Fits worker_callbacks.calibration: `arg` is struct
   calibrations. */
char *calibrations_text(void *arg, int device);

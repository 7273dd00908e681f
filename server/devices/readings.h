/* The present state of devices (clocks, temperature, memory in use), for HTTP. One thread reads it from the
   driver (kernels/live.h), on request and at most once a second for a device; a driver that hangs delays this
   thread, and a request by half a second at most.

   /metrics never waits: it gets the latest value of each quantity with its age, of executors' readings around
   a timing too. As long as somebody asked within the last minute, and no device runs anything or has work, the
   thread reads by itself every 15 s; not during a run, because nothing may disturb a timing.

   Any thread; one lock inside. */
#pragma once

#include "base/error.h"
#include "kernels/live.h"
#include "server/devices/devices.h"

struct readings;
struct queue;

/* Starts the thread. 0, or -1: ERROR_MEMORY, ERROR_SYSTEM. */
int readings_new(struct readings **readings, struct error *error);

/* Ends the thread; one that hangs in the driver is left behind, with its memory. NULL is allowed. */
void readings_free(struct readings *readings);

/* A reading of a known device, and its age in seconds. Waits for a new one where the latest is older than a
   second, for half a second at most; then returns the old one, or that there is none. */
void readings_get(struct readings *readings, int device, const struct device_status *status,
                  struct live_reading *reading, double *age_s);

/* The latest value of one quantity. */
struct readings_latest {
    bool known;
    double value;
    double age_s;
};

/* From here on the thread reads by itself. `devices` and `queue` must outlive the readings. */
void readings_watch(struct readings *readings, struct devices *devices, struct queue *queue);

/* Adds a reading of an executor; quantities that it lacks stay as they were. */
void readings_note(struct readings *readings, int device, const struct live_reading *reading);

/* Does not wait. */
void readings_latest(struct readings *readings, int device, struct readings_latest latest[LIVE_QUANTITIES]);

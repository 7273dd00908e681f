/* How the devices are now, for whoever asks over HTTP. One thread reads (kernels/live.h), only when somebody asks
   and at most once a second for a device: many questions cost one reading, and a driver that lets a call hang
   holds up this thread and no connection for longer than half a second. Any thread may ask.

   Whoever only wants what is known, as /metrics does, never waits and causes no call of the driver's by itself: it gets
   what was read last, by whomever, each quantity with its own age. What an executor read around a timing is passed on to
   it (readings_note()). While somebody wants to know, and nothing runs or waits on any device, this thread reads by
   itself every 15 s; while something runs it does not, because a timing is disturbed by nothing. */
#ifndef COALESCED_SERVER_DEVICES_READINGS_H
#define COALESCED_SERVER_DEVICES_READINGS_H

#include "base/error.h"
#include "kernels/live.h"
#include "server/devices/devices.h"

struct readings;
struct queue;

/* Starts the thread. 0, or -1: ERROR_MEMORY, ERROR_SYSTEM. */
int readings_new(struct readings **readings, int devices, struct error *error);

/* Ends it; a thread that hangs in the driver is left behind, with its memory. NULL is allowed. */
void readings_free(struct readings *readings);

/* The latest reading of a device that is known, and how old it is in seconds. One that is older than a second is
   made anew; where that takes too long the old one is told, or that there is none. */
void readings_get(struct readings *readings, int device, const struct device_status *status,
                  struct live_reading *reading, double *age_s);

/* What was read last of one quantity. */
struct readings_latest {
    bool known;
    double value;
    double age_s;
};

/* Reads by itself from here on, as told above. Both must outlive the readings. */
void readings_watch(struct readings *readings, struct devices *devices, struct queue *queue);

/* What somebody else has read of a device; what is not known in it is left as it was. */
void readings_note(struct readings *readings, int device, const struct live_reading *reading);

/* Does not wait. */
void readings_latest(struct readings *readings, int device, struct readings_latest latest[LIVE_QUANTITIES]);

#endif

/* How the devices are now, for whoever asks over HTTP. One thread reads (kernels/live.h), only when somebody asks
   and at most once a second for a device: many questions cost one reading, and a driver that lets a call hang
   holds up this thread and no connection for longer than half a second. Any thread may ask. */
#ifndef COALESCED_SERVER_DEVICES_READINGS_H
#define COALESCED_SERVER_DEVICES_READINGS_H

#include "base/error.h"
#include "kernels/live.h"
#include "server/devices/devices.h"

struct readings;

/* Starts the thread. 0, or -1: ERROR_MEMORY, ERROR_SYSTEM. */
int readings_new(struct readings **readings, int devices, struct error *error);

/* Ends it; a thread that hangs in the driver is left behind, with its memory. NULL is allowed. */
void readings_free(struct readings *readings);

/* The latest reading of a device that is known, and how old it is in seconds. One that is older than a second is
   made anew; where that takes too long the old one is told, or that there is none. */
void readings_get(struct readings *readings, int device, const struct device_status *status,
                  struct live_reading *reading, double *age_s);

#endif

/* Reads what the queue, the pool of devices, calibrations and events take up from earlier runs of the server.
   Each function calls each() for every row, with texts that are borrowed for the call. Any thread. 0 or
   -1. */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct store;
struct store_calibration; /* write.h, as the next */
struct store_device;
struct store_events; /* job.h */

/* What each owner used of the devices (write.h), the least recent first. */
int store_shares(struct store *store,
                 void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms), void *arg,
                 struct error *error);

/* Sets *last_ms to the latest time, in milliseconds since 1970, at which the database shows that a server ran: of the
   newest submission, the latest start of an experiment that is still running, or the latest end of a run whose owner has
   a name; 0: none. The server may have run longer. 0; or -1 with *error. */
int store_last_ms(struct store *store, int64_t *last_ms, struct error *error);

/* What is held: a device, or -1 for all of them. */
int store_holds(struct store *store, void (*each)(void *arg, int device, const char *owner, int64_t since_ms),
                void *arg, struct error *error);

/* All devices that have a number, by their numbers; hello is NULL where none was ever said. */
int store_devices(struct store *store, void (*each)(void *arg, const struct store_device *device), void *arg,
                  struct error *error);

/* The numbers of devices to which nothing stored refers: no experiment ran, runs or waits there, or lost a
   run there, and no hold is on it. The least recently used comes first. */
int store_devices_reclaimable(struct store *store, void (*each)(void *arg, int number), void *arg,
                              struct error *error);

/* The newest calibration of each device that has one. */
int store_calibrations(struct store *store,
                       void (*each)(void *arg, const struct store_calibration *calibration), void *arg,
                       struct error *error);

/* The stored events, the oldest first. The first may have none: it says from which number on the list is
   complete. About STORE_EVENTS_MAX, in a few milliseconds. */
int store_events(struct store *store, void (*each)(void *arg, const struct store_events *events), void *arg,
                 struct error *error);

/* The number of the newest committed event; its on_events() may be called a moment later. Negative: it cannot
   be read. */
int64_t store_events_last(struct store *store);

/* The devices of the service, with a worker for each. The operator's list (roster.h) is read again when its
   file changes and on request. An added device works at once; a removed one ends what it runs; a changed one
   gets another worker once the old one has ended, and keeps its number. A wrong list changes nothing, and
   device_pool_wrong() says why. One thread of the pool does all that; one lock guards what others ask. */
#pragma once

#include "server/devices/roster.h"
#include "server/devices/worker.h"

struct device_pool;
struct store;

/* Reads the list for the first time; everything that *config points to must outlive the pool. -1: as
   roster_read(). */
int device_pool_new(struct device_pool **pool, const struct roster_config *config, struct error *error);

/* Numbers the listed devices and publishes them, with all others that have a number, in `devices`. A device
   for which no number is free is left out; device_pool_wrong() says so, and it is tried again every ten
   seconds, less often where the search is slow. May be called again after a failure. -1: ERROR_STORE,
   ERROR_UNAVAILABLE (the disk), ERROR_MEMORY. */
int device_pool_open(struct device_pool *pool, struct store *store, struct devices *devices,
                     struct error *error);

/* After device_pool_open(): adds to *devices those with heartbeats, whose executors may outlive the service.
   Returns for how many seconds at most; 0: there are none. */
double device_pool_outliving(const struct device_pool *pool, struct device_set *devices);

/* Starts the workers, each with a copy of *callbacks (the identity is the pool's own), and the pool's thread.
   -1: ERROR_SYSTEM. */
int device_pool_start(struct device_pool *pool, const struct worker_callbacks *callbacks, struct queue *queue,
                      struct error *error);

/* Any thread: the list is read again soon. */
void device_pool_reload(struct device_pool *pool);

/* Any thread. True when the devices differ from the list in the file; *why says why. */
bool device_pool_wrong(struct device_pool *pool, struct error *why);

/* After queue_stop(): ends the workers, as worker_stop() does. NULL is allowed. */
void device_pool_stop(struct device_pool *pool);

/* NULL is allowed. */
void device_pool_free(struct device_pool *pool);

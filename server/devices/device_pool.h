/* The devices that the service has, and a worker for each: by the list that the operator gives (roster.h), which is read
   again when its file changes and when somebody asks. What is added works at once; what is removed ends what it runs, takes
   nothing more, and its worker ends; what is changed gets another worker once the old one has ended, and keeps its number.
   A list that is wrong changes nothing, and is told.

   A name has its number in the store, as long as anything refers to it (identity.h). What an executor said last of its device is kept there too, so that the
   device's limits are known while no executor is there. */
#ifndef COALESCED_SERVER_DEVICES_DEVICE_POOL_H
#define COALESCED_SERVER_DEVICES_DEVICE_POOL_H

#include "server/devices/roster.h"

struct device_pool;
struct store;

/* Reads the list for the first time; everything that *config points to must outlive the pool. -1: as roster_read(). */
int device_pool_new(struct device_pool **pool, const struct roster_config *config, struct error *error);

/* Gives the list's devices their numbers, and tells `devices` of them and of all others that have one. A device for which no
   number is left is left out, device_pool_wrong() says so, and it is tried again every ten seconds, less often where looking takes long. Again after a failure.
   -1: ERROR_STORE, ERROR_UNAVAILABLE (the disk), ERROR_MEMORY. */
int device_pool_open(struct device_pool *pool, struct store *store, struct devices *devices,
                     struct error *error);

/* After device_pool_open(): which devices have executors that may outlive the service, and for how long (seconds) at the most; 0:
   none has. Those are of devices with heartbeats. */
double device_pool_outliving(const struct device_pool *pool, struct device_set *devices);

/* Starts the workers, each with what *told says, and looks at the file from here on. */
int device_pool_start(struct device_pool *pool, const struct worker_callbacks *told, struct queue *queue,
                      struct error *error);

/* Any thread: the list is read again soon. */
void device_pool_reload(struct device_pool *pool);

/* Any thread: is what holds not what stands in the file, and why? */
bool device_pool_wrong(struct device_pool *pool, struct error *why);

/* After queue_admin_stop(): ends the workers, as worker_stop() does. NULL is allowed. */
void device_pool_stop(struct device_pool *pool);

/* NULL is allowed. */
void device_pool_free(struct device_pool *pool);

#endif

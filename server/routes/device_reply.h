/* Devices as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_DEVICE_REPLY_H
#define COALESCED_SERVER_ROUTES_DEVICE_REPLY_H

#include "base/json_writer.h"
#include "server/routes/service.h"

/* The devices to show: those of the list, and those that left it and still run something or have something
   bound to them. */
struct device_set device_reply_shown(const struct service *service);

/* Writes a device's limits and state, within an array or as the whole; with `live` also its reading at
   this moment, which may take half a second. */
void device_reply_write(struct json_writer *json, struct service *service, int index, bool live);

/* Writes what waits for the device and what runs there. `owner`: the user who asks is in the list of
   owners in any case. */
void device_reply_write_queue(struct json_writer *json, struct service *service, int index,
                              const char *owner);

/* The same for all devices to show, with the sums. */
/* `key` as in json_writer.h. */
void device_reply_write_queues(struct json_writer *json, const char *key, struct service *service,
                               const char *owner);

/* The device that the path names by its number or name, listed or not; -1: *handled is the 404. */
int device_reply_find(struct request *request, enum handled *handled);

#endif

/* Devices as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_DEVICE_REPLY_H
#define COALESCED_SERVER_ROUTES_DEVICE_REPLY_H

#include "server/routes/service.h"

/* Those that are listed: what is in the list, and what left it and still runs something, or has something waiting for it alone. */
struct device_set device_reply_shown(const struct service *service);

/* Appends a device's limits and how it is; with `live` how it is at this moment. */
void device_reply_write(struct json_writer *json, struct service *service, int index, bool live);

/* Appends what waits for it and what runs; `owner` is who asks. */
void device_reply_write_queue(struct json_writer *json, struct service *service, int index,
                              const char *owner);

/* Appends what waits and what runs, device by device; as above. */
void device_reply_write_queues(struct json_writer *json, const char *key, struct service *service,
                               const char *owner);

/* The device that the path names, by its number or its name, be it in the list or not; or -1 with the reply given. */
int device_reply_find(struct request *request, enum handled *handled);

#endif

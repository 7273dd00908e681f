/* Devices as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_DEVICE_H
#define COALESCED_SERVER_ROUTES_ANSWER_DEVICE_H

#include "server/routes/service.h"

/* Those that are listed: what is in the list, and what left it and still runs something, or has something waiting for it alone. */
struct device_set devices_told(const struct service *service);

/* Appends a device's limits and how it is; with `live` how it is at this moment. */
void device_write(struct buffer *out, struct service *service, int index, bool live);

/* Appends what waits for it and what runs; `owner` is who asks. */
void device_queue_write(struct buffer *out, struct service *service, int index, const char *owner);

/* Appends what waits and what runs, device by device; as above. */
void queue_write(struct buffer *out, struct service *service, const char *owner);

/* The device that the path names, by its number or its name, be it in the list or not; or -1 with the reply given. */
int device_read(struct request *request, enum handled *handled);

#endif

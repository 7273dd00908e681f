/* Devices as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_DEVICE_H
#define COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_DEVICE_H

#include "server/routes/service.h"

/* Appends a device's limits and how it is; with `live` how it is at this moment. */
void device_write(struct buffer *out, struct service *service, int index, bool live);

/* Appends what waits for it and what runs; `owner` is who asks. */
void device_queue_write(struct buffer *out, struct service *service, int index, const char *owner);

/* The device that the path names; or -1 with the reply given. */
int device_read(struct request *request, enum handled *handled);

#endif

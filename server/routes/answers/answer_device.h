/* Devices as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_DEVICE_H
#define COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_DEVICE_H

#include "server/routes/service.h"

/* Appends a device's limits and how it is; with readings, unless NULL, how it is at this moment. */
void device_write(struct buffer *out, struct devices *devices, struct readings *readings, int index);

#endif

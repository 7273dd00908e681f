/* What endpoints work with. */
#ifndef COALESCED_SERVER_ROUTES_SERVICE_H
#define COALESCED_SERVER_ROUTES_SERVICE_H

#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/events.h"
#include "server/http/http.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/people/people.h"
#include "server/queue/queue.h"
#include "server/store/store.h"

struct service {
    struct store *store;
    struct queue *queue;
    struct events *events;
    struct devices *devices;
    struct readings *readings;
    struct people *people; /* NULL: everybody may do everything */
    const char *data_dir;
    char instance[64];
};

struct service *request_service(const struct request *request);

/* Fits http_config.completed: counts the request for /metrics. */
void service_completed(void *arg, const struct http_completed *completed);

#endif

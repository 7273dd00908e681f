/* What endpoints work with. */
#ifndef COALESCED_SERVER_ROUTES_SERVICE_H
#define COALESCED_SERVER_ROUTES_SERVICE_H

#include "server/calibrations/calibrations.h"
#include "server/devices/devices.h"
#include "server/devices/pool/pool.h"
#include "server/devices/readings.h"
#include "server/events.h"
#include "server/feed/feed.h"
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
    struct feed *feed;
    struct devices *devices;
    struct pool *pool; /* whose list they are of */
    struct readings *readings;
    struct calibrations *calibrations;
    struct people *people; /* NULL: everybody may do everything */
    const char *data_dir;
    const char *
        default_device; /* for a request that names none: a number, a name or "any"; NULL or empty: the first of the list */
    char instance[64];
};

struct service *request_service(const struct request *request);

/* Fits http_config.completed: counts the request for /metrics. */
void service_completed(void *arg, const struct http_completed *completed);

#endif

/* What endpoints work with. */
#ifndef COALESCED_SERVER_ROUTES_SERVICE_H
#define COALESCED_SERVER_ROUTES_SERVICE_H

#include "server/calibration/calibrations.h"
#include "server/devices/devices.h"
#include "server/devices/device_pool.h"
#include "server/devices/readings.h"
#include "server/events/long_poll.h"
#include "server/events/event_feed.h"
#include "server/http/http.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/auth/users.h"
#include "server/store/retention.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"
#include "server/store/sweep_reads.h"

struct service {
    struct store *store;
    struct queue *queue;
    struct long_poll *events;
    struct event_feed *feed;
    struct devices *devices;
    struct device_pool *pool; /* whose list they are of */
    struct readings *readings;
    struct calibrations *calibrations;
    struct users *users; /* NULL: everybody may do everything */
    const char *data_dir;
    /* for a request that names none: a number, a name or "any"; NULL or empty: the first of the list */
    const char *default_device;
    char instance[64];
};

struct service *request_service(const struct request *request);

/* Fits http_config.completed: counts the request for /metrics. */
void service_completed(void *arg, const struct http_completed *completed);

#endif

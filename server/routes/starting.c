/* The server that answers while the store cannot be opened. */
#include "server/routes/starting.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/notify.h"
#include "server/routes/service.h"

enum { AGAIN_S = 2, GRACE_MS = 300 };

struct starting {
    struct http *http;
    pthread_mutex_t lock; /* guards the reason */
    char reason[STARTING_REASON_BYTES];
};

/* Accepts any query, as it knows none of the service's routes. */
#define OTHER(method)                                                                                        \
    {                                                                                                        \
        method, "*", "application/json", "text/csv", ROUTE_METRICS | ROUTE_QUERY, 1 << 20, NULL,             \
            starting_refuse                                                                                  \
    }

static const struct route other_routes[] = {OTHER("GET"), OTHER("POST"), OTHER("DELETE"), {0}};
/* The last route that fits counts. */
static const struct route *const tables[] = {other_routes, health_routes, metrics_routes, ui_routes, NULL};

int starting_begin(struct starting **out, const struct http_config *config, const char *reason,
                   struct error *error)
{
    struct http_config own = *config;
    struct starting *starting = calloc(1, sizeof *starting);
    if (!starting)
        return error_set(error, ERROR_MEMORY, "no memory to wait for the store");
    snprintf(starting->reason, sizeof starting->reason, "%s", reason);
    pthread_mutex_init(&starting->lock, NULL);
    own.routes = tables;
    *out = starting; /* handlers read it from now on */
    if (http_start(&starting->http, &own, error) == 0)
        return 0;
    *out = NULL;
    pthread_mutex_destroy(&starting->lock);
    free(starting);
    return -1;
}

void starting_set_reason(struct starting *starting, const char *reason)
{
    pthread_mutex_lock(&starting->lock);
    snprintf(starting->reason, sizeof starting->reason, "%s", reason);
    pthread_mutex_unlock(&starting->lock);
    notify("STATUS=Cannot start yet, tried again each second: %s", reason);
}

void starting_reason(struct starting *starting, char reason[STARTING_REASON_BYTES])
{
    pthread_mutex_lock(&starting->lock);
    snprintf(reason, STARTING_REASON_BYTES, "%s", starting->reason);
    pthread_mutex_unlock(&starting->lock);
}

enum handled starting_refuse(struct request *request)
{
    char reason[STARTING_REASON_BYTES];
    starting_reason(service_of(request)->starting, reason);
    reply_retry_after(request, AGAIN_S);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "the service cannot start yet: %s", reason);
}

void starting_end(struct starting *starting)
{
    if (!starting)
        return;
    http_quiesce(starting->http);
    /* Clients that were accepted and have not sent their request yet are still answered. */
    nanosleep(&(struct timespec){.tv_nsec = GRACE_MS * 1000000L}, NULL);
    http_stop(starting->http);
    pthread_mutex_destroy(&starting->lock);
    free(starting);
}

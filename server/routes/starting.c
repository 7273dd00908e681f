/* The server that answers while the store cannot be opened. */
#include "server/routes/starting.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json_writer.h"
#include "base/notify.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/routes/state_metrics.h"
#include "version.h"

enum { AGAIN_S = 2, GRACE_MS = 300, REASON_BYTES = 512 };

struct starting {
    struct http *http;
    char instance[64];
    const char *data_dir;
    pthread_mutex_t lock; /* guards the reason */
    char reason[REASON_BYTES];
};

void starting_set_reason(struct starting *starting, const char *reason)
{
    pthread_mutex_lock(&starting->lock);
    snprintf(starting->reason, sizeof starting->reason, "%s", reason);
    pthread_mutex_unlock(&starting->lock);
    notify("STATUS=Cannot start yet, tried again each second: %s", reason);
}

static void reason_copy(struct starting *starting, char reason[REASON_BYTES])
{
    pthread_mutex_lock(&starting->lock);
    snprintf(reason, sizeof starting->reason, "%s", starting->reason);
    pthread_mutex_unlock(&starting->lock);
}

static enum handled handle_livez(struct request *request)
{
    return reply_static(request, "{\"status\":\"alive\"}\n");
}

/* As GET /readyz of health_routes.c, with one check. */
static enum handled handle_readyz(struct request *request)
{
    struct starting *starting = request_context(request);
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    char reason[REASON_BYTES];
    reason_copy(starting, reason);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "status", "not ready");
    json_writer_string(&json, "instance", starting->instance);
    json_writer_string(&json, "version", COALESCED_VERSION);
    json_writer_string(&json, "commit", coalesced_commit);
    json_writer_begin_array(&json, "checks");
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "name", "store");
    json_writer_bool(&json, "ok", false);
    json_writer_string(&json, "reason", reason);
    json_writer_end(&json);
    json_writer_end(&json);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_body(request, 503, &body);
}

static enum handled handle_metrics(struct request *request)
{
    struct starting *starting = request_context(request);
    struct buffer body = {0};
    state_metrics_write_starting(&body, starting->data_dir);
    return reply_body(request, 200, &body);
}

static enum handled handle_other(struct request *request)
{
    char reason[REASON_BYTES];
    reason_copy(request_context(request), reason);
    reply_retry_after(request, AGAIN_S);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "the service cannot start yet: %s", reason);
}

/* Accepts any query, as it knows none of the service's routes. */
#define OTHER(of)                                                                                            \
    {                                                                                                        \
        .method = of, .pattern = "*", .type = "application/json", .other = "text/csv",                       \
        .flags = ROUTE_METRICS | ROUTE_QUERY, .body_max = 1 << 20, .handle = handle_other                    \
    }

static const struct route starting_routes[] = {
    OTHER("GET"),
    OTHER("POST"),
    OTHER("DELETE"),
    {
        .method = "GET",
        .pattern = "/livez",
        .type = "application/json",
        .flags = ROUTE_OPEN | ROUTE_HEALTH,
        .handle = handle_livez,
    },
    {
        .method = "GET",
        .pattern = "/readyz",
        .type = "application/json",
        .flags = ROUTE_OPEN | ROUTE_HEALTH | ROUTE_QUERY,
        .handle = handle_readyz,
    },
    {
        .method = "GET",
        .pattern = "/metrics",
        .type = STATE_METRICS_TYPE,
        .flags = ROUTE_METRICS,
        .handle = handle_metrics,
    },
    {0},
};
static const struct route *const starting_tables[] = {starting_routes, NULL};

int starting_begin(struct starting **out, const struct http_config *config, const char *reason,
                   struct error *error)
{
    struct http_config own = *config;
    struct starting *starting = calloc(1, sizeof *starting);
    if (!starting)
        return error_set(error, ERROR_MEMORY, "no memory to wait for the store");
    snprintf(starting->instance, sizeof starting->instance, "%s", config->instance);
    snprintf(starting->reason, sizeof starting->reason, "%s", reason);
    starting->data_dir = ((const struct service *)config->context)->data_dir;
    pthread_mutex_init(&starting->lock, NULL);
    own.routes = starting_tables;
    own.context = starting;
    if (http_start(&starting->http, &own, error) == 0) {
        *out = starting;
        return 0;
    }
    pthread_mutex_destroy(&starting->lock);
    free(starting);
    return -1;
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

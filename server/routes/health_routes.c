/* How the service is, and who asks. */
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "server/auth/user.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/queue/queue_view.h"
#include "server/routes/device_reply.h"
#include "server/routes/state_metrics.h"
#include "server/routes/service.h"
#include "server/routes/route_table.h"
#include "version.h"

static route_handler live_show, ready_show, metrics_show, whoami_show;

static const char *const queries[] = {"verbose", NULL};

const struct route health_routes[] = {
    /* The process answers. Nothing else is checked: what is wrong behind it no restart would mend. */
    {
        .method = "GET",
        .pattern = "/livez",
        .type = "application/json",
        .flags = ROUTE_OPEN | ROUTE_HEALTH,
        .handle = live_show,
    },
    /* Will an experiment that is submitted now be run? 200 or 503, with the instance's name, so that whoever started a service knows that it is this one that answers; ?verbose lists what was looked at. What somebody has paused, or the disk's reserve keeps out for now, does not count: through this service both are put right. */
    {
        .method = "GET",
        .pattern = "/readyz",
        .type = "application/json",
        .flags = ROUTE_OPEN | ROUTE_HEALTH,
        .queries = queries,
        .handle = ready_show,
    },
    /* For Prometheus, and no different whether the store and the devices work or not. Nothing is read for it: of a device it tells the last reading, and how old that is. */
    {
        .method = "GET",
        .pattern = "/metrics",
        .type = STATE_METRICS_TYPE,
        .flags = ROUTE_METRICS,
        .handle = metrics_show,
    },
    /* Whose token it is that was sent, and what it may do. */
    {
        .method = "GET",
        .pattern = "/v1/whoami",
        .type = "application/json",
        .flags = ROUTE_METRICS,
        .handle = whoami_show,
    },
    {0},
};

static enum handled live_show(struct request *request)
{
    return reply_static(request, "{\"status\":\"alive\"}\n");
}

/* One check of the verbose form. `wrong`: NULL when all is well. */
static void check_write(struct json_writer *checks, bool *ready, const char *name, const char *wrong)
{
    *ready = *ready && !wrong;
    json_writer_begin_object(checks, NULL);
    json_writer_string(checks, "name", name);
    json_writer_bool(checks, "ok", !wrong);
    json_writer_string(checks, "reason", wrong);
    json_writer_end(checks);
}

/* One that can be used is enough, when the first start of all has ended. */
static void devices_check(struct devices *devices, struct json_writer *checks, bool *ready)
{
    struct device_set present = devices_listed(devices);
    for (int i = -1; (i = device_set_next(&present, i + 1)) >= 0;) {
        struct device_status status = {0};
        bool well = true;
        char called[DEVICE_NAME_BYTES], name[DEVICE_NAME_BYTES + 32], text[sizeof status.reason + 64];
        service_device_name(devices, i, called);
        snprintf(name, sizeof name, "device %d (%s)", i, called);
        devices_get(devices, i, &status);
        const char *wrong = devices_unusable_reason(&status);
        if (wrong && strcmp(devices_health(&status), "starting") == 0) {
            snprintf(text, sizeof text, "it is started for the first time: %s", wrong);
            wrong = text;
        }
        check_write(checks, &well, name, wrong);
    }
    if (!device_set_count(&present))
        check_write(checks, ready, "devices", "there is none in the list");
    *ready = *ready && devices_usable(devices);
}

/* Whoever was let in before is let in still, so the service is ready. */
static void users_check(struct users *users, struct json_writer *checks)
{
    struct error why = {0};
    bool ready = true;
    check_write(checks, &ready, "people", users_wrong(users, &why) ? why.text : NULL);
}

/* The devices that were there are there still. */
static void list_check(struct device_pool *pool, struct json_writer *checks)
{
    struct error why = {0};
    bool ready = true;
    check_write(checks, &ready, "list of devices", device_pool_wrong(pool, &why) ? why.text : NULL);
}

static enum handled ready_show(struct request *request)
{
    struct service *service = service_of(request);
    struct buffer text = {0}, body = {0};
    struct json_writer checks = {.out = &text}, json = {.out = &body};
    struct error error = {0};
    bool ready = true,
         stored = store_in_place(service->store, &error) && store_healthy(service->store, &error);
    json_writer_begin_array(&checks, NULL);
    check_write(&checks, &ready, "store", stored ? NULL : error.text);
    check_write(&checks, &ready, "accepting",
                queue_view_stopping(service->queue) ? "the service is stopping" : NULL);
    if (service->users)
        users_check(service->users, &checks);
    list_check(service->pool, &checks);
    devices_check(service->devices, &checks, &ready);
    json_writer_end(&checks);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "status", ready ? "ready" : "not ready");
    json_writer_string(&json, "instance", service->instance);
    json_writer_string(&json, "version", COALESCED_VERSION);
    json_writer_string(&json, "commit", coalesced_commit);
    if (request_query(request, "verbose"))
        json_writer_json(&json, "checks", text.data);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    buffer_free(&text);
    return reply_body(request, ready ? 200 : 503, &body);
}

static enum handled metrics_show(struct request *request)
{
    struct buffer body = {0};
    state_metrics_write(&body, service_of(request));
    return reply_body(request, 200, &body);
}

static enum handled whoami_show(struct request *request)
{
    const struct user *user = request_user(request);
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_parts_name(&json, "name", user->name);
    json_writer_string(&json, "role", role_name(user->role));
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

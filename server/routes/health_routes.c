/* Health of the service for supervisors, and whose token was sent. */
#include <stdio.h>
#include <string.h>

#include "server/queue/queue_view.h"
#include "server/routes/starting.h"
#include "server/routes/service.h"
#include "version.h"

static route_handler live_show, ready_show, whoami_show;

static const char *const queries[] = {"verbose", NULL};

const struct route health_routes[] = {
    /* The process answers. Nothing else is checked, as a restart would repair nothing else. */
    {"GET", "/livez", "application/json", .flags = ROUTE_OPEN | ROUTE_HEALTH, .handle = live_show},
    /* 200 when an experiment that is submitted now will run, else 503. The instance's name says which
       service answers; ?verbose lists the checks. A paused device or queue, or a disk that is full up to
       its reserve, is ready: a request repairs these. */
    {"GET", "/readyz", "application/json", .flags = ROUTE_OPEN | ROUTE_HEALTH, .queries = queries,
     .handle = ready_show},
    /* The user of the token that was sent, and its role. */
    {"GET", "/v1/whoami", "application/json", .flags = ROUTE_METRICS, .handle = whoami_show},
    {0},
};

static enum handled live_show(struct request *request)
{
    return reply_static(request, "{\"status\":\"alive\"}\n");
}

/* Adds a check to the list. `wrong`: NULL when all is well. */
static void check_write(struct json_writer *checks, bool *ready, const char *name, const char *wrong)
{
    *ready = *ready && !wrong;
    json_writer_begin_object(checks, NULL);
    json_writer_string(checks, "name", name);
    json_writer_bool(checks, "ok", !wrong);
    json_writer_string(checks, "reason", wrong);
    json_writer_end(checks);
}

/* Ready with one usable device, once the first start of each has ended. */
static void devices_check(struct devices *devices, struct json_writer *checks, bool *ready)
{
    struct device_set listed = devices_listed(devices);
    for (int i = -1; (i = device_set_next(&listed, i + 1)) >= 0;) {
        struct device_status status = {0};
        bool well = true;
        char called[DEVICE_NAME_BYTES], name[DEVICE_NAME_BYTES + 32], text[sizeof status.reason + 64];
        devices_name(devices, i, called);
        snprintf(name, sizeof name, "device %d (%s)", i, called);
        devices_get(devices, i, &status);
        const char *wrong = devices_unusable_reason(&status);
        if (wrong && strcmp(devices_health(&status), "starting") == 0) {
            snprintf(text, sizeof text, "it is started for the first time: %s", wrong);
            wrong = text;
        }
        check_write(checks, &well, name, wrong);
    }
    if (!device_set_count(&listed))
        check_write(checks, ready, "devices", "there is none in the list");
    *ready = *ready && devices_usable(devices);
}

static void checks_write(struct service *service, struct json_writer *checks, bool *ready)
{
    struct error disk = {0}, users = {0}, pool = {0};
    bool well = true; /* the users and the list that were read before are still in use: it is ready */
    bool stored = store_in_place(service->store, &disk) && store_healthy(service->store, &disk);
    check_write(checks, ready, "store", stored ? NULL : disk.text);
    check_write(checks, ready, "accepting",
                queue_view_stopping(service->queue) ? "the service is stopping" : NULL);
    if (service->users)
        check_write(checks, &well, "tokens", users_wrong(service->users, &users) ? users.text : NULL);
    check_write(checks, &well, "list of devices", device_pool_wrong(service->pool, &pool) ? pool.text : NULL);
    devices_check(service->devices, checks, ready);
}

static enum handled ready_show(struct request *request)
{
    struct service *service = service_of(request);
    struct buffer list = {0}, body = {0};
    struct json_writer checks = {.out = &list}, json = {.out = &body};
    char reason[STARTING_REASON_BYTES];
    bool ready = true;
    json_writer_begin_array(&checks, NULL);
    if (service->starting) {
        starting_reason(service->starting, reason);
        check_write(&checks, &ready, "store", reason);
    } else {
        checks_write(service, &checks, &ready);
    }
    json_writer_end(&checks);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "status", ready ? "ready" : "not ready");
    json_writer_string(&json, "instance", service->instance);
    json_writer_string(&json, "version", COALESCED_VERSION);
    json_writer_string(&json, "commit", coalesced_commit);
    if (service->starting || request_query(request, "verbose"))
        json_writer_json(&json, "checks", list.data);
    body.failed |= list.failed;
    buffer_free(&list);
    return reply_body(request, ready ? 200 : 503, service_line(&json));
}

static enum handled whoami_show(struct request *request)
{
    const struct user *user = request_user(request);
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    if (service_of(request)->starting)
        return starting_refuse(request);
    json_writer_begin_object(&json, NULL);
    json_writer_name(&json, "name", user->name);
    json_writer_string(&json, "role", role_name(user->role));
    return reply_body(request, 200, service_line(&json));
}

/* GET /readyz: will an experiment that is submitted now be run? 200 or 503, with the instance's name, so that
   whoever started a service knows that it is this one that answers; ?verbose lists what was looked at. What somebody has
   paused, or the disk's reserve keeps out for now, does not count: through this service both are put right. */
#include <stdio.h>
#include <string.h>

#include "api/text.h"
#include "server/http/route.h"
#include "server/queue/queue_view.h"
#include "server/routes/answer_device.h"
#include "server/routes/choosing.h"
#include "server/routes/service.h"
#include "version.h"

static const char *const queries[] = {"verbose", NULL};

/* One line of the verbose form. `wrong`: NULL when all is well. */
static void check_write(struct buffer *checks, bool *ready, const char *name, const char *wrong)
{
    *ready = *ready && !wrong;
    buffer_text(checks, checks->size ? ",{\"name\":" : "{\"name\":");
    text_string(checks, name);
    buffer_format(checks, ",\"ok\":%s,\"reason\":", wrong ? "false" : "true");
    text_string(checks, wrong);
    buffer_text(checks, "}");
}

/* One that can be used is enough, when the first start of all has ended. */
static void devices_check(struct devices *devices, struct buffer *checks, bool *ready)
{
    struct device_set present = devices_listed(devices);
    for (int i = -1; (i = device_set_next(&present, i + 1)) >= 0;) {
        struct device_status status = {0};
        bool well = true;
        char called[DEVICE_NAME_BYTES], name[DEVICE_NAME_BYTES + 32], text[sizeof status.reason + 64];
        choosing_name(devices, i, called);
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
static void users_check(struct users *users, struct buffer *checks)
{
    struct error why = {0};
    bool ready = true;
    check_write(checks, &ready, "people", users_wrong(users, &why) ? why.text : NULL);
}

/* The devices that were there are there still. */
static void list_check(struct device_pool *pool, struct buffer *checks)
{
    struct error why = {0};
    bool ready = true;
    check_write(checks, &ready, "list of devices", device_pool_wrong(pool, &why) ? why.text : NULL);
}

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct buffer checks = {0}, body = {0};
    struct error error = {0};
    bool ready = true,
         stored = store_in_place(service->store, &error) && store_healthy(service->store, &error);
    check_write(&checks, &ready, "store", stored ? NULL : error.text);
    check_write(&checks, &ready, "accepting",
                queue_view_stopping(service->queue) ? "the service is stopping" : NULL);
    if (service->users)
        users_check(service->users, &checks);
    list_check(service->pool, &checks);
    devices_check(service->devices, &checks, &ready);
    buffer_format(&body, "{\"status\":\"%s\",\"instance\":", ready ? "ready" : "not ready");
    text_string(&body, service->instance);
    buffer_format(&body, ",\"version\":\"%s\",\"commit\":\"%s\"", COALESCED_VERSION, coalesced_commit);
    if (request_query(request, "verbose"))
        buffer_format(&body, ",\"checks\":[%s]", checks.failed ? "" : checks.data);
    buffer_text(&body, "}\n");
    buffer_free(&checks);
    return reply_body(request, ready ? 200 : 503, &body);
}

const struct route route_readyz = {
    .method = "GET",
    .pattern = "/readyz",
    .type = "application/json",
    .flags = ROUTE_OPEN | ROUTE_HEALTH,
    .queries = queries,
    .handle = handle,
};

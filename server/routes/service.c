/* What many endpoints need: the service of a request, devices, and replies that several of them give. */
#include "server/routes/service.h"

#include <stdio.h>

#include "api/device_choice.h"
#include "server/metrics/metrics.h"
#include "server/queue/queue_view.h"

/* clang-format off */
const struct route *const service_routes[] = {
    comparison_routes, device_routes, event_routes, experiment_routes, health_routes, kernel_routes, metrics_routes,
    occupancy_routes, prediction_routes, queue_routes, recipe_routes, removal_routes, sweep_routes, ui_routes, NULL};
/* clang-format on */

struct service *service_of(const struct request *request)
{
    return request_context(request);
}

void service_completed(void *arg, const struct http_completed *completed)
{
    (void)arg;
    metrics_request(completed->route ? completed->route->pattern : NULL, completed->method, completed->code,
                    (double)completed->took_ns / 1e9);
}

void service_forget_experiment(void *http, const char *id)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/experiments/%s", id ? id : "");
    http_invalidate(http, id ? path : NULL);
}

/* ---- devices ---- */

int service_find_device(struct devices *devices, const char *text)
{
    struct device_choice choice;
    struct device_listing listing;
    if (!device_choice_parse(&choice, text) || choice.kind == DEVICE_ANY)
        return -1;
    if (choice.kind == DEVICE_BY_NAME)
        return devices_named(devices, choice.called);
    bool known = choice.number < DEVICES_MAX && devices_listing(devices, (int)choice.number, &listing);
    return known ? (int)choice.number : -1;
}

int service_path_device(struct request *request, enum handled *handled)
{
    int device = service_find_device(service_of(request)->devices, request_param(request));
    if (device < 0)
        *handled = reply_problem(request, PROBLEM_NOT_FOUND,
                                 "there is no device %s; GET /v1/devices lists them", request_param(request));
    return device;
}

struct device_set service_shown_devices(const struct service *service)
{
    struct device_set shown = devices_listed(service->devices);
    for (int i = 0; i < devices_count(service->devices); i++) {
        struct device_stats stats;
        if (device_set_has(&shown, i))
            continue;
        queue_view_device(service->queue, i, &stats);
        if (stats.bound || stats.running[0])
            device_set_add(&shown, i);
    }
    return shown;
}

/* ---- replies ---- */

struct buffer *service_line(struct json_writer *json)
{
    while (json->depth)
        json_writer_end(json);
    buffer_text(json->out, "\n");
    return json->out;
}

enum handled service_reply_unknown_device(struct request *request, int device)
{
    struct device_status status = {0};
    char name[DEVICE_NAME_BYTES];
    struct devices *devices = service_of(request)->devices;
    devices_name(devices, device, name);
    devices_get(devices, device, &status);
    reply_retry_after(request, 2);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "device %d (%s) is not known yet%s%s", device, name,
                         status.reason[0] ? ": " : "", status.reason);
}

enum handled service_reply_no_memory(struct request *request, const char *what)
{
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory %s", what);
}

enum handled service_reply_wrong(struct request *request, const char *wrong)
{
    return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
}

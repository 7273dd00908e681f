/* What many endpoints need: the service of a request, names of devices, and replies that several of them
   give. */
#include "server/routes/service.h"

#include <stdio.h>
#include <string.h>

#include "api/device_choice.h"
#include "server/metrics/metrics.h"

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

void service_device_name(struct devices *devices, int number, char name[DEVICE_NAME_BYTES])
{
    struct device_listing listing;
    bool known = number >= 0 && devices_listing(devices, number, &listing);
    memcpy(name, known ? listing.name : "", known ? DEVICE_NAME_BYTES : 1);
}

enum handled service_reply_unknown_device(struct request *request, int device)
{
    struct device_status status = {0};
    char name[DEVICE_NAME_BYTES];
    struct devices *devices = service_of(request)->devices;
    service_device_name(devices, device, name);
    devices_get(devices, device, &status);
    reply_retry_after(request, 2);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "device %d (%s) is not known yet%s%s", device, name,
                         status.reason[0] ? ": " : "", status.reason);
}

enum handled service_reply_no_memory(struct request *request, const char *what)
{
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory %s", what);
}

void service_forget_experiment(void *http, const char *id)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/experiments/%s", id);
    http_invalidate(http, path);
}

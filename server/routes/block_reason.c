/* Why an experiment waits: the queue or its device is paused, starts, cannot be used, or is not listed. */
#include "server/routes/block_reason.h"

#include <stdio.h>
#include <string.h>

#include "api/experiment_view.h"
#include "server/devices/devices.h"
#include "server/queue/queue_view.h"
#include "server/routes/service.h"

/* Of several devices the one with the lowest reason counts. */
enum block_reason { BLOCK_NONE, BLOCK_STARTING, BLOCK_UNHEALTHY, BLOCK_HELD, BLOCK_UNLISTED };

static enum block_reason block_reason_of(struct service *service, int device, char *text, size_t size)
{
    struct device_status status = {0};
    struct device_stats depth;
    struct device_set listed = devices_listed(service->devices);
    char name[DEVICE_NAME_BYTES];
    service_device_name(service->devices, device, name);
    devices_get(service->devices, device, &status);
    const char *colon = status.reason[0] ? ": " : "";
    if (!device_set_has(&listed, device)) {
        snprintf(text, size, "%s is not in the list", name);
        return BLOCK_UNLISTED;
    }
    queue_view_device(service->queue, device, &depth);
    if (depth.hold.held) {
        snprintf(text, size, "%s is paused%s%s", name, depth.hold.owner[0] ? " by " : "", depth.hold.owner);
        return BLOCK_HELD;
    }
    if (status.readiness == DEVICE_STARTING) {
        snprintf(text, size, "%s is being started%s%s", name, colon, status.reason);
        return BLOCK_STARTING;
    }
    if (status.readiness == DEVICE_UNHEALTHY && !status.healthy) {
        snprintf(text, size, "%s cannot be used now, and is tried again%s%s", name, colon, status.reason);
        return BLOCK_UNHEALTHY;
    }
    return BLOCK_NONE;
}

/* Adds another device that the request allows. An experiment that is bound although its request allows
   others is of a sweep that is not spread. */
static void alternative_add(struct service *service, int device, const char *request, char *text, size_t size)
{
    struct queue_selection others = {.request = request};
    char found[VIEW_WAITS_BYTES], name[DEVICE_NAME_BYTES];
    size_t length = strlen(text);
    device_snapshot_select(service->devices, &others, 1);
    device_set_remove(&others.devices, device);
    for (int i = -1; (i = device_set_next(&others.devices, i + 1)) >= 0;) {
        if (block_reason_of(service, i, found, sizeof found) != BLOCK_NONE)
            continue;
        service_device_name(service->devices, i, name);
        snprintf(text + length, size - length,
                 "; its sweep stays on one device: cancelled and submitted again, or with \"spread\": true, "
                 "it may run on %s",
                 name);
        return;
    }
}

void block_reason_write(struct service *service, int device, const char *request, char *text, size_t size)
{
    struct device_set set = device_set_of(device);
    struct device_stats all;
    enum block_reason least = BLOCK_UNLISTED + 1;
    queue_view_device(service->queue, QUEUE_ALL_DEVICES, &all);
    if (all.hold.held) {
        snprintf(text, size, "the queue is paused%s%s", all.hold.owner[0] ? " by " : "", all.hold.owner);
        return;
    }
    if (device < 0) {
        struct queue_selection fitting = {.request = request, .devices = devices_listed(service->devices)};
        if (request)
            device_snapshot_select(service->devices, &fitting, 1);
        set = fitting.devices;
    }
    snprintf(text, size, "no device of the list fits now");
    for (int i = device_set_next(&set, 0); i >= 0 && least; i = device_set_next(&set, i + 1)) {
        char found[VIEW_WAITS_BYTES];
        enum block_reason block_reason = block_reason_of(service, i, found, sizeof found);
        if (block_reason >= least)
            continue;
        least = block_reason;
        snprintf(text, size, "%s", found);
    }
    if (!least)
        text[0] = '\0';
    else if (device >= 0 && request && (least == BLOCK_UNHEALTHY || least == BLOCK_UNLISTED))
        alternative_add(service, device, request, text, size);
}

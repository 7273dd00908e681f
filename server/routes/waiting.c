#include "server/routes/waiting.h"

#include <stdio.h>
#include <string.h>

#include "api/views.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"
#include "server/routes/choosing.h"

/* What a device is to one that waits for it; of several devices the first of these counts. */
enum block_reason {
    HINDRANCE_NONE,
    HINDRANCE_STARTING,
    HINDRANCE_UNHEALTHY,
    HINDRANCE_HELD,
    HINDRANCE_UNLISTED
};

static enum block_reason block_reason_of(struct service *service, int device, char *text, size_t size)
{
    struct device_status status = {0};
    struct device_stats depth;
    struct device_set present = devices_listed(service->devices);
    char name[DEVICE_NAME_BYTES];
    choosing_name(service->devices, device, name);
    devices_get(service->devices, device, &status);
    const char *colon = status.reason[0] ? ": " : "";
    if (!device_set_has(&present, device)) {
        snprintf(text, size, "%s is not in the list", name);
        return HINDRANCE_UNLISTED;
    }
    queue_view_device(service->queue, device, &depth);
    if (depth.hold.held) {
        snprintf(text, size, "%s is paused%s%s", name, depth.hold.owner[0] ? " by " : "", depth.hold.owner);
        return HINDRANCE_HELD;
    }
    if (status.readiness == DEVICE_STARTING) {
        snprintf(text, size, "%s is being started%s%s", name, colon, status.reason);
        return HINDRANCE_STARTING;
    }
    if (status.readiness == DEVICE_UNHEALTHY && !status.healthy) {
        snprintf(text, size, "%s cannot be used now, and is tried again%s%s", name, colon, status.reason);
        return HINDRANCE_UNHEALTHY;
    }
    return HINDRANCE_NONE;
}

/* What is bound, and may run elsewhere by its request, is of a sweep that stays where it is. */
static void elsewhere_tell(struct service *service, int device, const char *request, char *text, size_t size)
{
    struct queue_selection others = {.request = request};
    char found[VIEW_WAITS_BYTES], name[DEVICE_NAME_BYTES];
    size_t length = strlen(text);
    service_select(service, &others, 1);
    device_set_remove(&others.devices, device);
    for (int i = -1; (i = device_set_next(&others.devices, i + 1)) >= 0;) {
        if (block_reason_of(service, i, found, sizeof found) != HINDRANCE_NONE)
            continue;
        choosing_name(service->devices, i, name);
        snprintf(text + length, size - length,
                 "; its sweep stays on one device: cancelled and submitted again, or with \"spread\": true, "
                 "it may run on %s",
                 name);
        return;
    }
}

void waiting_tell(struct service *service, int device, const char *request, char *text, size_t size)
{
    struct device_set set = device_set_of(device);
    struct queue_hold hold;
    enum block_reason least = HINDRANCE_UNLISTED + 1;
    queue_view_hold(service->queue, &hold);
    if (hold.held) {
        snprintf(text, size, "the queue is paused%s%s", hold.owner[0] ? " by " : "", hold.owner);
        return;
    }
    if (device < 0) {
        struct queue_selection fitting = {.request = request, .devices = devices_listed(service->devices)};
        if (request)
            service_select(service, &fitting, 1);
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
    else if (device >= 0 && request && (least == HINDRANCE_UNHEALTHY || least == HINDRANCE_UNLISTED))
        elsewhere_tell(service, device, request, text, size);
}

#include "server/routes/device_reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/views.h"
#include "server/queue/queue_view.h"
#include "server/routes/service.h"
#include "server/routes/block_reason.h"

static struct view_hold view_of_hold(const struct queue_hold *hold)
{
    return (struct view_hold){hold->held, hold->owner, hold->since_ms};
}

void device_reply_write(struct buffer *out, struct service *service, int index, bool live)
{
    static const char *const readiness[] = {[DEVICE_UNHEALTHY] = "unhealthy",
                                            [DEVICE_AWAY] = "away",
                                            [DEVICE_STARTING] = "starting",
                                            [DEVICE_READY] = "ready"};
    struct device_status status = {0};
    struct device_listing listing = {0};
    struct device_stats depth;
    struct device_set present = devices_listed(service->devices);
    queue_view_device(service->queue, index, &depth);
    devices_get(service->devices, index, &status);
    devices_listing(service->devices, index, &listing);
    if (!status.known && !status.reason[0])
        snprintf(status.reason, sizeof status.reason, "its executor has not said hello yet");
    struct view_device view = {
        .index = index,
        .name = listing.name,
        .note = listing.note,
        .listed = device_set_has(&present, index),
        .release = listing.release,
        .readiness = readiness[status.readiness],
        .build = status.executor_build,
        .facts = status.known ? &status.facts : NULL,
        .health = devices_health(&status),
        .reason = status.reason,
        .executor = status.executor,
        .context = status.context || status.own.pid[1],
        .runs = status.runs,
        .failures = status.failures,
        .hold = view_of_hold(&depth.hold),
    };
    struct live_reading reading;
    if (live && status.known) {
        readings_get(service->readings, index, &status, &reading, &view.live_age_s);
        view.live = &reading;
    }
    if (view_device(out, &view) < 0)
        out->failed = true;
}

/* One that is away or was started for work is as good as its facts are known. */

/* So many owners are told of a device's queue, besides the one that runs and the one that asks. */
enum { OWNERS_TOLD = 100 };

void device_reply_write_queue(struct buffer *out, struct service *service, int index, const char *owner)
{
    struct device_stats depth;
    struct queue_owner *owners;
    char name[DEVICE_NAME_BYTES], waits_for[384];
    service_device_name(service->devices, index, name);
    block_reason_write(service, index, NULL, waits_for, sizeof waits_for);
    bool known = !waits_for[0]; /* when work begins here */
    queue_view_device(service->queue, index, &depth);
    int count = queue_view_owners(service->queue, index, &owners);
    struct view_owner *views = count >= 0 ? calloc((size_t)count + 1, sizeof *views) : NULL;
    int told = 0;
    for (int i = 0; views && i < count; i++)
        if (i < OWNERS_TOLD || owners[i].running || strcmp(owners[i].name, owner) == 0)
            views[told++] = (struct view_owner){owners[i].name,
                                                owners[i].queued,
                                                owners[i].running,
                                                owners[i].share,
                                                owners[i].next,
                                                known ? owners[i].begins_s : -1,
                                                known ? owners[i].ends_s : -1};
    struct view_queue view = {
        .device = index,
        .name = name,
        .queued = depth.queued,
        .running = depth.running,
        .mean_s = depth.mean_s,
        .eta_s = known ? queue_view_wait_s(service->queue, index, owner) : -1,
        .waits_for = waits_for,
        .hold = view_of_hold(&depth.hold),
        .owners = views,
        .owner_count = told,
        .owners_in_all = count,
    };
    if (!views || view_queue(out, &view) < 0)
        out->failed = true;
    free(views);
    free(owners);
}

struct device_set device_reply_shown(const struct service *service)
{
    struct device_set told = devices_listed(service->devices);
    for (int i = 0; i < devices_count(service->devices); i++) {
        struct device_stats depth;
        if (device_set_has(&told, i))
            continue;
        queue_view_device(service->queue, i, &depth);
        if (depth.bound || depth.running[0])
            device_set_add(&told, i);
    }
    return told;
}

void device_reply_write_queues(struct buffer *out, struct service *service, const char *owner)
{
    struct buffer rows = {0};
    struct queue_hold hold;
    int queued = queue_view_waiting(service->queue), running = 0;
    struct device_set told = device_reply_shown(service);
    for (int i = device_set_next(&told, 0); i >= 0; i = device_set_next(&told, i + 1)) {
        struct device_stats depth;
        queue_view_device(service->queue, i, &depth);
        running += depth.running[0] != '\0';
        buffer_text(&rows, rows.size ? "," : "");
        device_reply_write_queue(&rows, service, i, owner);
    }
    buffer_format(out, "{\"queued\":%d,\"running\":%d,\"stopping\":%s", queued, running,
                  queue_view_stopping(service->queue) ? "true" : "false");
    queue_view_hold(service->queue, &hold);
    view_hold(out, &(struct view_hold){hold.held, hold.owner, hold.since_ms});
    buffer_text(out, ",\"devices\":[");
    buffer_append(out, rows.data, rows.size);
    buffer_text(out, "]}");
    out->failed |= rows.failed;
    buffer_free(&rows);
}

int device_reply_find(struct request *request, enum handled *handled)
{
    int index = service_find_device(service_of(request)->devices, request_param(request));
    if (index < 0)
        *handled = reply_problem(request, PROBLEM_NOT_FOUND,
                                 "there is no device %s; GET /v1/devices lists them", request_param(request));
    return index;
}

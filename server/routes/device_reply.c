/* Devices and their queues as JSON. */
#include "server/routes/device_reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_view.h"
#include "server/queue/queue_view.h"
#include "server/routes/service.h"
#include "server/routes/block_reason.h"

static struct view_hold view_of_hold(const struct queue_hold *hold)
{
    return (struct view_hold){hold->held, hold->owner, hold->since_ms};
}

void device_reply_write(struct json_writer *json, struct service *service, int index, bool live)
{
    static const char *const readiness[] = {[DEVICE_UNHEALTHY] = "unhealthy",
                                            [DEVICE_AWAY] = "away",
                                            [DEVICE_STARTING] = "starting",
                                            [DEVICE_READY] = "ready"};
    struct device_status status = {0};
    struct device_listing listing = {0};
    struct device_stats depth;
    struct device_set listed = devices_listed(service->devices);
    queue_view_device(service->queue, index, &depth);
    devices_get(service->devices, index, &status);
    devices_listing(service->devices, index, &listing);
    if (!status.known && !status.reason[0])
        snprintf(status.reason, sizeof status.reason, "its executor has not said hello yet");
    struct view_device view = {
        .index = index,
        .name = listing.name,
        .note = listing.note,
        .listed = device_set_has(&listed, index),
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
    device_view_write(json, NULL, &view);
}

/* Owners shown of a device's queue, besides the one that runs and the one that asks. */
enum { OWNERS_MAX = 100 };

void device_reply_write_queue(struct json_writer *json, struct service *service, int index, const char *owner)
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
    int shown = 0;
    for (int i = 0; views && i < count; i++)
        if (i < OWNERS_MAX || owners[i].running || strcmp(owners[i].name, owner) == 0)
            views[shown++] = (struct view_owner){owners[i].name,
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
        .owner_count = shown,
        .owners_in_all = count,
    };
    if (views)
        device_view_queue(json, NULL, &view);
    else
        json->out->failed = true;
    free(views);
    free(owners);
}

struct device_set device_reply_shown(const struct service *service)
{
    struct device_set shown = devices_listed(service->devices);
    for (int i = 0; i < devices_count(service->devices); i++) {
        struct device_stats depth;
        if (device_set_has(&shown, i))
            continue;
        queue_view_device(service->queue, i, &depth);
        if (depth.bound || depth.running[0])
            device_set_add(&shown, i);
    }
    return shown;
}

void device_reply_write_queues(struct json_writer *json, const char *key, struct service *service,
                               const char *owner)
{
    const struct device_set shown = device_reply_shown(service);
    struct device_stats all;
    int running = 0;
    for (int i = device_set_next(&shown, 0); i >= 0; i = device_set_next(&shown, i + 1)) {
        struct device_stats stats;
        queue_view_device(service->queue, i, &stats);
        running += stats.running[0] != '\0';
    }
    queue_view_device(service->queue, QUEUE_ALL_DEVICES, &all);
    json_writer_begin_object(json, key);
    json_writer_int(json, "queued", all.queued);
    json_writer_int(json, "running", running);
    json_writer_bool(json, "stopping", queue_view_stopping(service->queue));
    device_view_hold(json, &(struct view_hold){all.hold.held, all.hold.owner, all.hold.since_ms});
    json_writer_begin_array(json, "devices");
    for (int i = device_set_next(&shown, 0); i >= 0; i = device_set_next(&shown, i + 1))
        device_reply_write_queue(json, service, i, owner);
    json_writer_end(json);
    json_writer_end(json);
}

int device_reply_find(struct request *request, enum handled *handled)
{
    int index = service_find_device(service_of(request)->devices, request_param(request));
    if (index < 0)
        *handled = reply_problem(request, PROBLEM_NOT_FOUND,
                                 "there is no device %s; GET /v1/devices lists them", request_param(request));
    return index;
}

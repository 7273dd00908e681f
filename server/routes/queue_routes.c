/* /v1/queue: what waits and what runs; and holding devices: pause, drain, resume. */
#include "server/routes/queue_routes.h"

#include <stdlib.h>
#include <string.h>

#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/wait.h"

static route_handler queue_show, hold_change;

const struct route queue_routes[] = {
    /* What waits and what runs, device by device. */
    {"GET", "/v1/queue", "application/json", .handle = queue_show},
    /* No device takes anything new. */
    {"POST", "/v1/queue/pause", "application/json", .flags = ROUTE_ADMIN, .handle = hold_change},
    /* Devices take work again, but for those that are drained. */
    {"POST", "/v1/queue/resume", "application/json", .flags = ROUTE_ADMIN, .handle = hold_change},
    /* What runs on the device ends, and nothing more begins there until it is resumed. */
    {"POST", "/v1/devices/{n}/drain", "application/json", .flags = ROUTE_ADMIN, .handle = hold_change},
    /* The device takes work again. */
    {"POST", "/v1/devices/{n}/resume", "application/json", .flags = ROUTE_ADMIN, .handle = hold_change},
    {0},
};

void queue_routes_hold(struct json_writer *json, const struct queue_hold *hold)
{
    json_writer_bool(json, "paused", hold->held);
    if (!hold->held)
        return;
    json_writer_name(json, "paused_by", hold->owner);
    json_writer_time(json, "paused_since", hold->since_ms);
}

/* ---- what waits ---- */

/* Owners shown of a device's queue, besides the one that runs and the one that asks. */
enum { OWNERS_MAX = 100, SHARE_DECIMALS = 4 };

/* `known`: when work begins on the device. */
static void owner_write(struct json_writer *json, const struct queue_owner *owner, bool known)
{
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "queued", owner->queued);
    json_writer_bool(json, "running", owner->running);
    json_writer_fixed(json, "share", owner->share, SHARE_DECIMALS);
    json_writer_int(json, "overrides", owner->overrides);
    json_writer_name(json, "owner", owner->name);
    json_writer_name(json, "next", owner->next);
    json_writer_seconds(json, "begins_seconds", known ? owner->begins_s : -1);
    json_writer_seconds(json, "ends_seconds", known ? owner->ends_s : -1);
    json_writer_end(json);
}

/* What waits for the device and what runs there. */
static void device_queue_write(struct json_writer *json, struct service *service, int index,
                               const char *owner)
{
    struct device_stats stats;
    struct queue_owner *owners;
    char name[DEVICE_NAME_BYTES], waits_for[384];
    devices_name(service->devices, index, name);
    experiment_reply_block_reason(service, index, NULL, waits_for, sizeof waits_for);
    bool known = !waits_for[0];
    queue_view_device(service->queue, index, &stats);
    int count = queue_view_owners(service->queue, index, &owners);
    json->out->failed |= count < 0;
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "device", index);
    json_writer_name(json, "device_name", name);
    json_writer_int(json, "queued", stats.queued);
    json_writer_name(json, "running", stats.running);
    json_writer_seconds(json, "mean_seconds", stats.mean_s);
    json_writer_seconds(json, "eta_seconds", known ? queue_view_wait_s(service->queue, index, owner) : -1);
    json_writer_name(json, "waits_for", waits_for);
    queue_routes_hold(json, &stats.hold);
    json_writer_begin_array(json, "owners");
    for (int i = 0; i < count; i++)
        if (i < OWNERS_MAX || owners[i].running || strcmp(owners[i].name, owner) == 0)
            owner_write(json, &owners[i], known);
    json_writer_end(json);
    json_writer_int(json, "owner_count", count);
    json_writer_end(json);
    free(owners);
}

static void shares_write(struct json_writer *json, struct service *service)
{
    struct queue_share *shares;
    int count = queue_view_shares(service->queue, &shares);
    json->out->failed |= count < 0;
    json_writer_begin_array(json, "shares");
    for (int i = 0; i < count; i++) {
        json_writer_begin_object(json, NULL);
        json_writer_name(json, "owner", shares[i].name);
        json_writer_fixed(json, "share", shares[i].share, SHARE_DECIMALS);
        json_writer_end(json);
    }
    json_writer_end(json);
    free(shares);
}

void queue_routes_write(struct json_writer *json, const char *key, struct service *service, const char *owner)
{
    const struct device_set shown = service_shown_devices(service);
    struct device_stats all;
    int running = 0;
    for (int i = -1; (i = device_set_next(&shown, i + 1)) >= 0;) {
        struct device_stats stats;
        queue_view_device(service->queue, i, &stats);
        running += stats.running[0] != '\0';
    }
    queue_view_device(service->queue, QUEUE_ALL_DEVICES, &all);
    json_writer_begin_object(json, key);
    json_writer_int(json, "queued", all.queued);
    json_writer_int(json, "running", running);
    json_writer_bool(json, "stopping", queue_view_stopping(service->queue));
    queue_routes_hold(json, &all.hold);
    shares_write(json, service);
    json_writer_begin_array(json, "devices");
    for (int i = -1; (i = device_set_next(&shown, i + 1)) >= 0;)
        device_queue_write(json, service, i, owner);
    json_writer_end(json);
    json_writer_end(json);
}

static enum handled queue_show(struct request *request)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    queue_routes_write(&json, NULL, service_of(request), request_user(request)->name);
    return reply_body(request, 200, service_line(&json));
}

/* ---- holding and resuming ---- */

/* How the device, or QUEUE_ALL_DEVICES, is now: paused or not, and by whom and since when. */
static enum handled hold_answer(struct request *request, int device)
{
    struct queue_hold hold;
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    queue_admin_get_hold(service_of(request)->queue, device, &hold);
    json_writer_begin_object(&json, NULL);
    json_writer_known_int(&json, "device", device != QUEUE_ALL_DEVICES, device);
    queue_routes_hold(&json, &hold);
    return reply_body(request, 200, service_line(&json));
}

/* Holds or resumes the device that the path names, or all of them. */
static enum handled hold_change(struct request *request)
{
    struct commit_wait *wait = request_state(request);
    struct error error = {0};
    enum handled handled;
    int device = QUEUE_ALL_DEVICES;
    bool hold = strcmp(strrchr(request_path(request), '/'), "/resume") != 0;
    if (request_param(request)[0] && (device = service_path_device(request, &handled)) < 0)
        return handled;
    if (wait)
        return wait_commit_over(wait, &handled) ? hold_answer(request, device) : handled;
    if (!(wait = wait_commit_new(request, sizeof *wait, free, &handled)))
        return handled;
    if (queue_admin_hold(service_of(request)->queue, device, hold, request_user(request)->name,
                         &wait->changed, wait_commit_done, wait, &error) == 0)
        return HANDLED_WAIT;
    return reply_error(request, &error);
}

/* /v1/queue: what waits and what runs; and holding devices: pause, drain, resume. */
#include "server/routes/queue_routes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/http/header_field.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_entries.h"
#include "server/queue/queue_view.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/wait.h"

static route_handler queue_show, hold_change;
static const char *const queue_queries[] = {"experiments", NULL};

const struct route queue_routes[] = {
    /* What waits and what runs, device by device. */
    {"GET", "/v1/queue", "application/json", .queries = queue_queries, .handle = queue_show},
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

/* The queue at one moment. */
struct queue_snapshot {
    struct device_stats all;
    struct queue_share *shares;
    int share_count; /* -1: no memory; so for owner_count and entry_count */
    struct queue_snapshot_device {
        struct device_stats stats;
        struct queue_owner *owners;
        int owner_count;
        double wait_s; /* until one more of who asks would begin */
    } devices[DEVICE_SET_MOST];
    struct queue_entry *entries;
    int entry_count;
};

/* Reads the experiments that run on the devices, those that owners run next, and the first `most` of this owner's. */
static int entries_read(struct queue *queue, const struct device_set *shown, const char *owner, int most,
                        struct queue_snapshot *snapshot)
{
    size_t room = 1;
    int count = 0;
    for (int i = -1; (i = device_set_next(shown, i + 1)) >= 0;)
        room += 1 + (size_t)(snapshot->devices[i].owner_count > 0 ? snapshot->devices[i].owner_count : 0);
    const char **ids = calloc(room, sizeof *ids);
    if (!ids)
        return -1;
    for (int i = -1; (i = device_set_next(shown, i + 1)) >= 0;) {
        ids[count++] = snapshot->devices[i].stats.running;
        for (int j = 0; j < snapshot->devices[i].owner_count; j++)
            ids[count++] = snapshot->devices[i].owners[j].next;
    }
    count = queue_view_entries(queue, ids, count, owner, most, &snapshot->entries);
    free(ids);
    return count;
}

/* `most`: experiments of who asks; negative: no experiments at all. */
static void snapshot_read(struct queue *queue, const struct device_set *shown, const char *owner, int most,
                          struct queue_snapshot *snapshot)
{
    queue_view_lock(queue);
    queue_view_device(queue, QUEUE_ALL_DEVICES, &snapshot->all);
    snapshot->share_count = queue_view_shares(queue, &snapshot->shares);
    for (int i = -1; (i = device_set_next(shown, i + 1)) >= 0;) {
        struct queue_snapshot_device *device = &snapshot->devices[i];
        queue_view_device(queue, i, &device->stats);
        device->owner_count = queue_view_owners(queue, i, &device->owners);
        device->wait_s = queue_view_wait_s(queue, i, owner);
    }
    if (most >= 0)
        snapshot->entry_count = entries_read(queue, shown, owner, most, snapshot);
    queue_view_unlock(queue);
}

static void snapshot_free(struct queue_snapshot *snapshot)
{
    for (int i = 0; snapshot && i < DEVICE_SET_MOST; i++)
        free(snapshot->devices[i].owners);
    if (snapshot) {
        free(snapshot->shares);
        queue_view_free_entries(snapshot->entries, snapshot->entry_count);
    }
    free(snapshot);
}

/* What waits for the device and what runs there. */
static void device_queue_write(struct json_writer *json, struct service *service, int index,
                               const char *owner, bool accepts, const struct queue_snapshot_device *device)
{
    char name[DEVICE_NAME_BYTES], waits_for[384];
    devices_name(service->devices, index, name);
    experiment_reply_block_reason(service, index, NULL, waits_for, sizeof waits_for);
    bool known = !waits_for[0];
    json->out->failed |= device->owner_count < 0;
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "device", index);
    json_writer_name(json, "device_name", name);
    json_writer_int(json, "queued", device->stats.queued);
    json_writer_name(json, "running", device->stats.running);
    json_writer_seconds(json, "mean_seconds", device->stats.mean_s);
    json_writer_seconds(json, "eta_seconds", known && accepts ? device->wait_s : -1);
    json_writer_name(json, "waits_for", waits_for);
    queue_routes_hold(json, &device->stats.hold);
    json_writer_begin_array(json, "owners");
    for (int i = 0; i < device->owner_count; i++)
        if (i < OWNERS_MAX || device->owners[i].running || strcmp(device->owners[i].name, owner) == 0)
            owner_write(json, &device->owners[i], known);
    json_writer_end(json);
    json_writer_int(json, "owner_count", device->owner_count);
    json_writer_end(json);
}

static void shares_write(struct json_writer *json, const struct queue_snapshot *snapshot)
{
    json->out->failed |= snapshot->share_count < 0;
    json_writer_begin_array(json, "shares");
    for (int i = 0; i < snapshot->share_count; i++) {
        json_writer_begin_object(json, NULL);
        json_writer_name(json, "owner", snapshot->shares[i].name);
        json_writer_fixed(json, "share", snapshot->shares[i].share, SHARE_DECIMALS);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void entries_write(struct json_writer *json, struct service *service,
                          const struct queue_snapshot *snapshot)
{
    json->out->failed |= snapshot->entry_count < 0;
    json_writer_begin_array(json, "experiments");
    for (int i = 0; i < snapshot->entry_count; i++) {
        struct view_experiment view;
        experiment_reply_entry(service, &snapshot->entries[i], &view);
        view_experiment_queued(json, NULL, &view);
    }
    json_writer_end(json);
}

void queue_routes_write(struct json_writer *json, const char *key, struct service *service, const char *owner,
                        int most)
{
    const struct device_set shown = service_shown_devices(service);
    int running = 0;
    struct error error = {0};
    char refuses[VIEW_WAITS_BYTES + 16] = "";
    bool accepts = store_accepts(service->store, &error);
    if (!accepts)
        snprintf(refuses, sizeof refuses, "the service %s", error.text);
    struct queue_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (!snapshot) {
        json->out->failed = true;
        return;
    }
    snapshot_read(service->queue, &shown, owner, most, snapshot);
    for (int i = -1; (i = device_set_next(&shown, i + 1)) >= 0;)
        running += snapshot->devices[i].stats.running[0] != '\0';
    json_writer_begin_object(json, key);
    json_writer_int(json, "queued", snapshot->all.queued);
    json_writer_int(json, "running", running);
    json_writer_bool(json, "stopping", queue_view_stopping(service->queue));
    json_writer_name(json, "refuses", refuses);
    queue_routes_hold(json, &snapshot->all.hold);
    shares_write(json, snapshot);
    json_writer_begin_array(json, "devices");
    for (int i = -1; (i = device_set_next(&shown, i + 1)) >= 0;)
        device_queue_write(json, service, i, owner, accepts, &snapshot->devices[i]);
    json_writer_end(json);
    if (most >= 0)
        entries_write(json, service, snapshot);
    json_writer_end(json);
    snapshot_free(snapshot);
}

enum { ENTRIES_MAX = 100 };

static enum handled queue_show(struct request *request)
{
    const char *text = request_query(request, "experiments");
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    int most = -1;
    static_assert(ENTRIES_MAX == 100, "the sentence names it");
    if (text && !header_field_number(text, 0, ENTRIES_MAX, &most))
        return service_reply_wrong(request, "experiments must be a number from 0 to 100");
    queue_routes_write(&json, NULL, service_of(request), request_user(request)->name, most);
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

static void hold_log(const struct request *request, int device, bool hold)
{
    const char *owner = request_user(request)->name;
    char name[DEVICE_NAME_BYTES] = "the queue";
    if (device != QUEUE_ALL_DEVICES)
        devices_name(service_of(request)->devices, device, name);
    log_info("%s is %s%s%s", name, hold ? "paused" : "resumed", owner[0] ? " by " : "", owner);
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
    if (wait) {
        if (!wait_commit_over(wait, &handled))
            return handled;
        if (wait->changed)
            hold_log(request, device, hold);
        return hold_answer(request, device);
    }
    if (!(wait = wait_commit_new(request, sizeof *wait, free, &handled)))
        return handled;
    if (queue_admin_hold(service_of(request)->queue, device, hold, request_user(request)->name,
                         &wait->changed, wait_commit_done, wait, &error) == 0)
        return HANDLED_WAIT;
    return reply_error(request, &error);
}

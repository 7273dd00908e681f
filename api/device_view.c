/* Writes a device with its facts, and the queue of a device with its owners. */
#include "api/device_view.h"

#include <stdio.h>

#include "api/device_json.h"
#include "api/json_parts.h"

enum { SHARE_DECIMALS = 4 };

void device_view_hold(struct json_writer *json, const struct view_hold *hold)
{
    json_writer_bool(json, "paused", hold->held);
    if (!hold->held)
        return;
    json_parts_name(json, "paused_by", hold->owner);
    json_parts_time(json, "paused_since", hold->since_ms);
}

static void write_status(struct json_writer *json, const struct view_device *device)
{
    json_writer_begin_object(json, "status");
    json_writer_string(json, "health", device->health);
    json_parts_name(json, "reason", device->reason);
    if (device->executor)
        json_writer_int(json, "executor_pid", device->executor);
    else
        json_writer_null(json, "executor_pid");
    json_writer_bool(json, "context", device->context);
    json_writer_int(json, "runs", device->runs);
    json_writer_int(json, "failures", device->failures);
    json_writer_end(json);
}

void device_view_write(struct json_writer *json, const char *key, const struct view_device *device)
{
    char link[32];
    json_writer_begin_object(json, key);
    json_writer_int(json, "index", device->index);
    json_parts_name(json, "device_name", device->name);
    json_parts_name(json, "note", device->note);
    json_writer_bool(json, "in_list", device->listed);
    json_writer_string(json, "readiness", device->readiness);
    json_writer_string(json, "idle", device->release ? "release" : "context");
    json_parts_name(json, "executor_build", device->build);
    if (device->facts) {
        device_json_facts(json, device->facts);
        device_json_peaks(json, device->facts);
    }
    write_status(json, device);
    device_view_hold(json, &device->hold);
    if (device->live)
        device_json_live(json, "live", device->live, device->live_age_s);
    json_writer_begin_object(json, "links");
    snprintf(link, sizeof link, "/v1/devices/%d", device->index);
    json_writer_string(json, "self", link);
    json_writer_end(json);
    json_writer_end(json);
}

static void write_owner(struct json_writer *json, const struct view_owner *owner)
{
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "queued", owner->queued);
    json_writer_bool(json, "running", owner->running);
    json_writer_fixed(json, "share", owner->share, SHARE_DECIMALS);
    json_parts_name(json, "owner", owner->name);
    json_parts_name(json, "next", owner->next);
    json_parts_seconds(json, "begins_seconds", owner->begins_s);
    json_parts_seconds(json, "ends_seconds", owner->ends_s);
    json_writer_end(json);
}

void device_view_queue(struct json_writer *json, const char *key, const struct view_queue *queue)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "device", queue->device);
    json_parts_name(json, "device_name", queue->name);
    json_writer_int(json, "queued", queue->queued);
    json_parts_name(json, "running", queue->running);
    json_parts_seconds(json, "mean_seconds", queue->mean_s);
    json_parts_seconds(json, "eta_seconds", queue->eta_s);
    json_parts_name(json, "waits_for", queue->waits_for);
    device_view_hold(json, &queue->hold);
    json_writer_begin_array(json, "owners");
    for (int i = 0; i < queue->owner_count; i++)
        write_owner(json, &queue->owners[i]);
    json_writer_end(json);
    json_writer_int(json, "owner_count", queue->owners_in_all);
    json_writer_end(json);
}

/* Writes an experiment around the texts of its request and its result. */
#include "api/view.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/device_json.h"
#include "api/json_parts.h"

enum { RESULT_SCHEMA = 1 };

void view_device_name(struct json_writer *json, int device, const char *name)
{
    json_writer_known_int(json, "device", device >= 0, device);
    json_writer_name(json, "device_name", name);
}

static void write_times(struct json_writer *json, const struct view_experiment *experiment)
{
    json_writer_time(json, "submitted_at", experiment->submitted_ms);
    json_writer_time(json, "started_at", experiment->started_ms);
    json_writer_time(json, "finished_at", experiment->finished_ms);
}

static void write_attempt(struct json_writer *json, const struct view_experiment *experiment)
{
    json_writer_int(json, "attempt", experiment->attempt);
    if (experiment->repeated)
        json_writer_int(json, "repeat_index", experiment->repeat_index);
}

/* The list is as the store has it, but for its times. */
static void write_lost(struct json_writer *json, const char *lost)
{
    size_t i;
    const char *name;
    json_t *run, *value, *list = lost ? json_loads(lost, 0, NULL) : NULL;
    json_writer_begin_array(json, "lost");
    json_array_foreach (list, i, run) {
        json_writer_begin_object(json, NULL);
        json_object_foreach (run, name, value) {
            if (strcmp(name, "at") == 0)
                json_writer_time(json, name, json_integer_value(value));
            else
                json_parts_tree(json, name, value);
        }
        json_writer_end(json);
    }
    json_writer_end(json);
    json_decref(list);
}

/* Where it stands among those that wait; nothing once it has ended. */
static void write_place(struct json_writer *json, const struct view_experiment *experiment)
{
    if (experiment->ended)
        return;
    if (!experiment->running)
        json_writer_name(json, "waits_for", experiment->waits_for);
    json_writer_known_int(json, "position", experiment->position >= 0, experiment->position);
    json_writer_seconds(json, "eta_seconds", experiment->eta_s);
    if (experiment->paused)
        json_writer_bool(json, "paused", true);
    if (experiment->cancelling)
        json_writer_bool(json, "cancelling", true);
}

static void write_link(struct json_writer *json, const char *key, const char *path, const char *id)
{
    char link[256];
    snprintf(link, sizeof link, "%s%s", path, id);
    json_writer_string(json, key, link);
}

static void write_links(struct json_writer *json, const struct view_experiment *experiment)
{
    char device[16];
    json_writer_begin_object(json, "links");
    write_link(json, "self", "/v1/experiments/", experiment->id);
    if (experiment->kernel)
        write_link(json, "kernel", "/v1/kernels/", experiment->kernel);
    if (experiment->sweep && experiment->sweep[0])
        write_link(json, "sweep", "/v1/sweeps/", experiment->sweep);
    snprintf(device, sizeof device, "%d", experiment->device);
    if (experiment->device >= 0)
        write_link(json, "device", "/v1/devices/", device);
    json_writer_end(json);
}

static void write_failure(struct json_writer *json, const struct view_experiment *experiment)
{
    if (!experiment->failure || experiment->failure->kind == ERROR_NONE)
        return;
    json_writer_begin_object(json, "failure");
    json_writer_string(json, "kind", error_kind_name(experiment->failure->kind));
    json_writer_string(json, "detail", experiment->failure->text);
    json_writer_end(json);
}

void view_experiment_write(struct json_writer *json, const char *key,
                           const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "schema", RESULT_SCHEMA);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    write_attempt(json, experiment);
    if (!experiment->ended) /* an ended one has the object of its result under that name */
        view_device_name(json, experiment->device, experiment->device_name);
    else
        json_writer_name(json, "device_name", experiment->device_name);
    write_lost(json, experiment->lost);
    json_writer_name(json, "owner", experiment->owner);
    write_times(json, experiment);
    write_place(json, experiment);
    json_writer_json(json, "request", experiment->request);
    json_writer_members(json, experiment->result);
    write_failure(json, experiment);
    if (!experiment->ended)
        write_links(json, experiment);
    json_writer_end(json);
}

void view_experiment_accepted(struct json_writer *json, const char *key,
                              const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    view_device_name(json, experiment->device, experiment->device_name);
    write_place(json, experiment);
    write_links(json, experiment);
    json_writer_end(json);
}

void view_experiment_summary(struct json_writer *json, const char *key,
                             const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    json_writer_string(json, "kernel", experiment->kernel);
    view_device_name(json, experiment->device, experiment->device_name);
    write_attempt(json, experiment);
    json_writer_name(json, "owner", experiment->owner);
    write_times(json, experiment);
    write_failure(json, experiment);
    json_writer_json(json, "request", experiment->request);
    write_links(json, experiment);
    json_writer_end(json);
}

/* ---- sweeps ---- */

static void write_devices(struct json_writer *json, const struct view_sweep *sweep)
{
    if (!sweep->device_count) {
        json_writer_null(json, "devices");
        return;
    }
    json_writer_begin_array(json, "devices");
    for (int i = 0; i < sweep->device_count; i++) {
        json_writer_begin_object(json, NULL);
        view_device_name(json, sweep->devices[i].device, sweep->devices[i].name);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_counts(struct json_writer *json, const struct view_sweep *sweep)
{
    json_writer_int(json, "repeat", sweep->repeat);
    json_writer_int(json, "point_count", sweep->total / sweep->repeat);
    json_writer_int(json, "total", sweep->total);
    json_writer_int(json, "done", sweep->succeeded + sweep->failed + sweep->cancelled + sweep->removed);
    json_writer_int(json, "queued", sweep->queued);
    json_writer_int(json, "running", sweep->running);
    json_writer_int(json, "succeeded", sweep->succeeded);
    json_writer_int(json, "failed", sweep->failed);
    json_writer_int(json, "cancelled", sweep->cancelled);
    json_writer_int(json, "removed", sweep->removed);
    if (sweep->queued + sweep->running)
        json_writer_seconds(json, "eta_seconds", sweep->eta_s);
}

static void write_sweep_links(struct json_writer *json, const char *id)
{
    char csv[96];
    snprintf(csv, sizeof csv, "%s.csv", id);
    json_writer_begin_object(json, "links");
    write_link(json, "self", "/v1/sweeps/", id);
    write_link(json, "csv", "/v1/sweeps/", csv);
    write_link(json, "experiments", "/v1/experiments?sweep=", id);
    json_writer_end(json);
}

void view_sweep_open(struct json_writer *json, const char *key, const struct view_sweep *sweep)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", sweep->id);
    json_writer_string(json, "state", sweep->state);
    json_writer_time(json, "submitted_at", sweep->submitted_ms);
    json_writer_time(json, "finished_at", sweep->finished_ms);
    json_writer_string(json, "recipe", sweep->recipe);
    json_writer_name(json, "owner", sweep->owner);
    json_writer_bool(json, "spread", sweep->spread);
    write_devices(json, sweep);
    write_counts(json, sweep);
    if (sweep->waits_for[0])
        json_writer_string(json, "waits_for", sweep->waits_for);
    if (sweep->paused)
        json_writer_bool(json, "paused", true);
    if (sweep->cancelling)
        json_writer_bool(json, "cancelling", true);
    if (sweep->request)
        json_writer_json(json, "request", sweep->request);
    write_sweep_links(json, sweep->id);
}

/* A point without an experiment: it cannot be launched, or the experiment was removed. */
static void write_missing(struct json_writer *json, const struct view_point *point)
{
    bool removed = !point->failure;
    json_writer_string(json, "state", removed ? "removed" : "failed");
    json_writer_string(json, "id", removed ? point->id : NULL);
    if (point->repeated)
        json_writer_int(json, "repeat_index", point->repeat_index);
    json_writer_json(json, "request", removed ? NULL : point->request);
    json_writer_json(json, "failure", removed ? VIEW_REMOVED : point->failure);
    json_writer_null(json, "result");
    json_writer_members(json, point->reference);
}

static void write_run(struct json_writer *json, const struct view_point *point)
{
    const struct view_experiment *experiment = point->experiment;
    json_writer_string(json, "state", experiment->state);
    json_writer_string(json, "id", experiment->id);
    view_device_name(json, experiment->device, experiment->device_name);
    write_attempt(json, experiment);
    write_times(json, experiment);
    json_writer_json(json, "request", experiment->request);
    write_failure(json, experiment);
    json_writer_json(json, "result", experiment->result);
    json_writer_members(json, point->reference);
    write_links(json, experiment);
}

void view_point_write(struct json_writer *json, const char *key, const struct view_point *point)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "index", point->index);
    json_writer_json(json, "values", point->values);
    if (point->experiment)
        write_run(json, point);
    else
        write_missing(json, point);
    json_writer_end(json);
}

/* ---- devices and queues ---- */

enum { SHARE_DECIMALS = 4 };

void view_hold_write(struct json_writer *json, const struct view_hold *hold)
{
    json_writer_bool(json, "paused", hold->held);
    if (!hold->held)
        return;
    json_writer_name(json, "paused_by", hold->owner);
    json_writer_time(json, "paused_since", hold->since_ms);
}

static void write_status(struct json_writer *json, const struct view_device *device)
{
    json_writer_begin_object(json, "status");
    json_writer_string(json, "health", device->health);
    json_writer_name(json, "reason", device->reason);
    json_writer_known_int(json, "executor_pid", device->executor, device->executor);
    json_writer_bool(json, "context", device->context);
    json_writer_int(json, "runs", device->runs);
    json_writer_int(json, "failures", device->failures);
    json_writer_end(json);
}

void view_device_write(struct json_writer *json, const char *key, const struct view_device *device)
{
    char number[16];
    snprintf(number, sizeof number, "%d", device->index);
    json_writer_begin_object(json, key);
    json_writer_int(json, "index", device->index);
    json_writer_name(json, "device_name", device->name);
    json_writer_name(json, "note", device->note);
    json_writer_bool(json, "in_list", device->listed);
    json_writer_string(json, "readiness", device->readiness);
    json_writer_string(json, "idle", device->release ? "release" : "context");
    json_writer_name(json, "executor_build", device->build);
    if (device->facts) {
        device_json_facts(json, device->facts);
        device_json_peaks(json, device->facts);
    }
    write_status(json, device);
    view_hold_write(json, &device->hold);
    if (device->live)
        device_json_live(json, "live", device->live, device->live_age_s);
    json_writer_begin_object(json, "links");
    write_link(json, "self", "/v1/devices/", number);
    json_writer_end(json);
    json_writer_end(json);
}

static void write_owner(struct json_writer *json, const struct view_owner *owner)
{
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "queued", owner->queued);
    json_writer_bool(json, "running", owner->running);
    json_writer_fixed(json, "share", owner->share, SHARE_DECIMALS);
    json_writer_name(json, "owner", owner->name);
    json_writer_name(json, "next", owner->next);
    json_writer_seconds(json, "begins_seconds", owner->begins_s);
    json_writer_seconds(json, "ends_seconds", owner->ends_s);
    json_writer_end(json);
}

void view_queue_write(struct json_writer *json, const char *key, const struct view_queue *queue)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "device", queue->device);
    json_writer_name(json, "device_name", queue->name);
    json_writer_int(json, "queued", queue->queued);
    json_writer_name(json, "running", queue->running);
    json_writer_seconds(json, "mean_seconds", queue->mean_s);
    json_writer_seconds(json, "eta_seconds", queue->eta_s);
    json_writer_name(json, "waits_for", queue->waits_for);
    view_hold_write(json, &queue->hold);
    json_writer_begin_array(json, "owners");
    for (int i = 0; i < queue->owner_count; i++)
        write_owner(json, &queue->owners[i]);
    json_writer_end(json);
    json_writer_int(json, "owner_count", queue->owners_in_all);
    json_writer_end(json);
}

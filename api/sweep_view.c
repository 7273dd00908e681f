/* Writes a sweep with its counts, and its points. */
#include "api/sweep_view.h"

#include <stdio.h>

#include "api/json_parts.h"

static void write_devices(struct json_writer *json, const struct view_sweep *sweep)
{
    if (!sweep->device_count) {
        json_writer_null(json, "devices");
        return;
    }
    json_writer_begin_array(json, "devices");
    for (int i = 0; i < sweep->device_count; i++) {
        json_writer_begin_object(json, NULL);
        experiment_view_device(json, sweep->devices[i].device, sweep->devices[i].name);
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
        json_parts_seconds(json, "eta_seconds", sweep->eta_s);
}

static void write_links(struct json_writer *json, const char *id)
{
    char self[96], csv[96], experiments[96];
    snprintf(self, sizeof self, "/v1/sweeps/%s", id);
    snprintf(csv, sizeof csv, "/v1/sweeps/%s.csv", id);
    snprintf(experiments, sizeof experiments, "/v1/experiments?sweep=%s", id);
    json_writer_begin_object(json, "links");
    json_writer_string(json, "self", self);
    json_writer_string(json, "csv", csv);
    json_writer_string(json, "experiments", experiments);
    json_writer_end(json);
}

void sweep_view_open(struct json_writer *json, const char *key, const struct view_sweep *sweep)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", sweep->id);
    json_writer_string(json, "state", sweep->state);
    json_parts_time(json, "submitted_at", sweep->submitted_ms);
    json_parts_time(json, "finished_at", sweep->finished_ms);
    json_writer_string(json, "recipe", sweep->recipe);
    json_parts_name(json, "owner", sweep->owner);
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
    write_links(json, sweep->id);
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
    experiment_view_device(json, experiment->device, experiment->device_name);
    experiment_view_attempt(json, experiment);
    experiment_view_times(json, experiment);
    json_writer_json(json, "request", experiment->request);
    experiment_view_failure(json, experiment);
    json_writer_json(json, "result", experiment->result);
    json_writer_members(json, point->reference);
    experiment_view_links(json, experiment);
}

void sweep_view_point(struct json_writer *json, const char *key, const struct view_point *point)
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

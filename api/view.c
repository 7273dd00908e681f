/* Writes an experiment around the texts of its request and its result. */
#include "api/view.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"

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

static void write_entry(struct json_writer *json, const struct view_experiment *experiment)
{
    if (experiment->entry)
        json_writer_string(json, "entry", experiment->entry);
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
    if (experiment->unwritten)
        json_writer_bool(json, "unwritten", true);
    if (experiment->paused)
        json_writer_bool(json, "paused", true);
    if (experiment->cancelling)
        json_writer_bool(json, "cancelling", true);
}

void view_link(struct json_writer *json, const char *key, const char *path, const char *id)
{
    char link[256];
    snprintf(link, sizeof link, "%s%s", path, id);
    json_writer_string(json, key, link);
}

static void write_links(struct json_writer *json, const struct view_experiment *experiment)
{
    char device[16];
    json_writer_begin_object(json, "links");
    view_link(json, "self", "/v1/experiments/", experiment->id);
    if (experiment->kernel)
        view_link(json, "kernel", "/v1/kernels/", experiment->kernel);
    if (experiment->sweep && experiment->sweep[0])
        view_link(json, "sweep", "/v1/sweeps/", experiment->sweep);
    snprintf(device, sizeof device, "%d", experiment->device);
    if (experiment->device >= 0)
        view_link(json, "device", "/v1/devices/", device);
    json_writer_end(json);
}

static void write_failure(struct json_writer *json, const struct view_experiment *experiment)
{
    if (!experiment->failure || experiment->failure->kind == ERROR_NONE)
        return;
    json_writer_begin_object(json, "failure");
    json_writer_string(json, "kind", error_kind_name(experiment->failure->kind));
    problem_write_text(json, "detail", experiment->failure->text);
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
    write_entry(json, experiment);
    json_writer_json(json, "request", experiment->request);
    json_writer_members(json, experiment->result);
    write_failure(json, experiment);
    write_links(json, experiment);
    json_writer_end(json);
}

void view_experiment_queued(struct json_writer *json, const char *key,
                            const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    view_device_name(json, experiment->device, experiment->device_name);
    json_writer_name(json, "owner", experiment->owner);
    json_writer_time(json, "submitted_at", experiment->submitted_ms);
    write_place(json, experiment);
    if (experiment->sweep_left)
        json_writer_int(json, "sweep_left", experiment->sweep_left);
    json_writer_json(json, "request", experiment->request);
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
    write_entry(json, experiment);
    view_device_name(json, experiment->device, experiment->device_name);
    write_attempt(json, experiment);
    json_writer_name(json, "owner", experiment->owner);
    write_times(json, experiment);
    if (experiment->unwritten)
        json_writer_bool(json, "unwritten", true);
    write_failure(json, experiment);
    json_writer_json(json, "request", experiment->request);
    write_links(json, experiment);
    json_writer_end(json);
}

/* ---- points of sweeps ---- */

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
    if (experiment->unwritten)
        json_writer_bool(json, "unwritten", true);
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

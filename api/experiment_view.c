/* Writes an experiment around the texts of its request and its result. */
#include "api/experiment_view.h"

#include <jansson.h>
#include <stdio.h>

#include "api/json_parts.h"
#include "base/clock.h"

enum { RESULT_SCHEMA = 1 };

void experiment_view_device(struct json_writer *json, int device, const char *name)
{
    if (device < 0)
        json_writer_null(json, "device");
    else
        json_writer_int(json, "device", device);
    json_parts_name(json, "device_name", name);
}

void experiment_view_times(struct json_writer *json, const struct view_experiment *experiment)
{
    json_parts_time(json, "submitted_at", experiment->submitted_ms);
    json_parts_time(json, "started_at", experiment->started_ms);
    json_parts_time(json, "finished_at", experiment->finished_ms);
}

void experiment_view_attempt(struct json_writer *json, const struct view_experiment *experiment)
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
            char at[CLOCK_TEXT_BYTES];
            clock_text(json_integer_value(value), at);
            if (name[0] == 'a' && name[1] == 't' && !name[2])
                json_writer_string(json, name, at);
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
        json_parts_name(json, "waits_for", experiment->waits_for);
    if (experiment->position >= 0)
        json_writer_int(json, "position", experiment->position);
    else
        json_writer_null(json, "position");
    json_parts_seconds(json, "eta_seconds", experiment->eta_s);
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

void experiment_view_links(struct json_writer *json, const struct view_experiment *experiment)
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

void experiment_view_failure(struct json_writer *json, const struct view_experiment *experiment)
{
    if (!experiment->failure || experiment->failure->kind == ERROR_NONE)
        return;
    json_writer_begin_object(json, "failure");
    json_writer_string(json, "kind", error_kind_name(experiment->failure->kind));
    json_writer_string(json, "detail", experiment->failure->text);
    json_writer_end(json);
}

void experiment_view_write(struct json_writer *json, const char *key,
                           const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "schema", RESULT_SCHEMA);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    experiment_view_attempt(json, experiment);
    if (!experiment->ended) /* an ended one has the object of its result under that name */
        experiment_view_device(json, experiment->device, experiment->device_name);
    else
        json_parts_name(json, "device_name", experiment->device_name);
    write_lost(json, experiment->lost);
    json_parts_name(json, "owner", experiment->owner);
    experiment_view_times(json, experiment);
    write_place(json, experiment);
    json_writer_json(json, "request", experiment->request);
    json_writer_members(json, experiment->result);
    experiment_view_failure(json, experiment);
    if (!experiment->ended)
        experiment_view_links(json, experiment);
    json_writer_end(json);
}

void experiment_view_accepted(struct json_writer *json, const char *key,
                              const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    experiment_view_device(json, experiment->device, experiment->device_name);
    write_place(json, experiment);
    experiment_view_links(json, experiment);
    json_writer_end(json);
}

void experiment_view_summary(struct json_writer *json, const char *key,
                             const struct view_experiment *experiment)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", experiment->id);
    json_writer_string(json, "state", experiment->state);
    json_writer_string(json, "kernel", experiment->kernel);
    experiment_view_device(json, experiment->device, experiment->device_name);
    experiment_view_attempt(json, experiment);
    json_parts_name(json, "owner", experiment->owner);
    experiment_view_times(json, experiment);
    experiment_view_failure(json, experiment);
    json_writer_json(json, "request", experiment->request);
    experiment_view_links(json, experiment);
    json_writer_end(json);
}

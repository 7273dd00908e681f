#include "api/views.h"

#include <jansson.h>
#include <stdlib.h>

#include "api/facts_json.h"
#include "api/json.h"
#include "api/live_json.h"
#include "api/peaks_json.h"
#include "api/text.h"
#include "base/clock.h"

enum { RESULT_SCHEMA = 1 };

static void write_name(struct buffer *out, const char *name)
{
    buffer_text(out, ",\"");
    buffer_text(out, name);
    buffer_text(out, "\":");
}

static void write_time(struct buffer *out, const char *name, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    write_name(out, name);
    if (wall_ms) {
        clock_text(wall_ms, text);
        text_string(out, text);
    } else {
        buffer_text(out, "null");
    }
}

static void write_seconds(struct buffer *out, const char *name, double seconds)
{
    write_name(out, name);
    if (seconds >= 0)
        buffer_format(out, "%.3f", seconds);
    else
        buffer_text(out, "null");
}

static void write_times(struct buffer *out, const struct view_experiment *experiment)
{
    write_time(out, "submitted_at", experiment->submitted_ms);
    write_time(out, "started_at", experiment->started_ms);
    write_time(out, "finished_at", experiment->finished_ms);
}

static void write_owner(struct buffer *out, const char *owner)
{
    buffer_text(out, ",\"owner\":");
    text_string(out, owner && owner[0] ? owner : NULL);
}

static void write_round(struct buffer *out, bool repeated, int repeat_index)
{
    if (repeated)
        buffer_format(out, ",\"repeat_index\":%d", repeat_index);
}

static void write_device(struct buffer *out, int device)
{
    buffer_text(out, ",\"device\":");
    if (device < 0)
        buffer_text(out, "null");
    else
        text_integer(out, device);
}

static void write_device_name(struct buffer *out, const char *name)
{
    buffer_text(out, ",\"device_name\":");
    text_string(out, name[0] ? name : NULL);
}

void view_device_of(struct buffer *out, int device, const char *name)
{
    write_device(out, device);
    write_device_name(out, name);
}

/* As the store keeps them, with times as they are told everywhere. */
static void write_lost(struct buffer *out, const char *lost)
{
    size_t i;
    json_t *run, *list = lost ? json_loads(lost, 0, NULL) : NULL;
    json_array_foreach (list, i, run) {
        char at[CLOCK_TEXT_BYTES];
        clock_text(json_integer_value(json_object_get(run, "at")), at);
        json_object_set_new(run, "at", json_string(at));
    }
    char *text = list ? json_dumps(list, API_JSON_FLAGS) : NULL;
    buffer_text(out, ",\"lost\":");
    buffer_text(out, text ? text : "[]");
    json_decref(list);
    free(text);
}

static void write_place(struct buffer *out, const struct view_experiment *experiment)
{
    if (experiment->ended)
        return;
    if (!experiment->running) {
        buffer_text(out, ",\"waits_for\":");
        text_string(out, experiment->waits_for[0] ? experiment->waits_for : NULL);
    }
    buffer_text(out, ",\"position\":");
    if (experiment->position >= 0)
        text_integer(out, experiment->position);
    else
        buffer_text(out, "null");
    write_seconds(out, "eta_seconds", experiment->eta_s);
    if (experiment->paused)
        buffer_text(out, ",\"paused\":true");
    if (experiment->cancelling)
        buffer_text(out, ",\"cancelling\":true");
}

/* `id` is an id or a kernel's name: nothing in it wants escaping. */
static void write_link(struct buffer *out, const char *begin, const char *id)
{
    buffer_text(out, begin);
    buffer_text(out, id);
    buffer_text(out, "\"");
}

static void write_links(struct buffer *out, const struct view_experiment *experiment)
{
    write_link(out, ",\"links\":{\"self\":\"/v1/experiments/", experiment->id);
    if (experiment->kernel)
        write_link(out, ",\"kernel\":\"/v1/kernels/", experiment->kernel);
    if (experiment->sweep && experiment->sweep[0])
        write_link(out, ",\"sweep\":\"/v1/sweeps/", experiment->sweep);
    if (experiment->device >= 0)
        buffer_format(out, ",\"device\":\"/v1/devices/%d\"", experiment->device);
    buffer_text(out, "}");
}

static void write_failure(struct buffer *out, const struct view_experiment *experiment)
{
    if (!experiment->failure || experiment->failure->kind == ERROR_NONE)
        return;
    buffer_format(out,
                  ",\"failure\":{\"kind\":\"%s\",\"detail\":", error_kind_name(experiment->failure->kind));
    text_string(out, experiment->failure->text);
    buffer_text(out, "}");
}

int view_experiment(struct buffer *out, const struct view_experiment *experiment)
{
    buffer_format(out, "{\"schema\":%d,\"id\":\"%s\",\"state\":\"%s\",\"attempt\":%d", RESULT_SCHEMA,
                  experiment->id, experiment->state, experiment->attempt);
    write_round(out, experiment->repeated, experiment->repeat_index);
    if (!experiment->ended) /* the result's is an object */
        write_device(out, experiment->device);
    write_device_name(out, experiment->device_name);
    write_lost(out, experiment->lost);
    write_owner(out, experiment->owner);
    write_times(out, experiment);
    write_place(out, experiment);
    buffer_text(out, ",\"request\":");
    buffer_text(out, experiment->request ? experiment->request : "null");
    text_members(out, experiment->result);
    write_failure(out, experiment);
    if (!experiment->ended)
        write_links(out, experiment);
    return buffer_text(out, "}\n");
}

int view_accepted(struct buffer *out, const struct view_experiment *experiment)
{
    write_link(out, "{\"id\":\"", experiment->id);
    write_link(out, ",\"state\":\"", experiment->state);
    view_device_of(out, experiment->device, experiment->device_name);
    write_place(out, experiment);
    write_links(out, experiment);
    return buffer_text(out, "}\n");
}

int view_summary(struct buffer *out, const struct view_experiment *experiment)
{
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\",\"kernel\":", experiment->id, experiment->state);
    text_string(out, experiment->kernel);
    view_device_of(out, experiment->device, experiment->device_name);
    buffer_format(out, ",\"attempt\":%d", experiment->attempt);
    write_round(out, experiment->repeated, experiment->repeat_index);
    write_owner(out, experiment->owner);
    write_times(out, experiment);
    write_failure(out, experiment);
    buffer_text(out, ",\"request\":");
    buffer_text(out, experiment->request ? experiment->request : "null");
    write_links(out, experiment);
    return buffer_text(out, "}");
}

static void write_ran(struct buffer *out, const struct view_sweep *sweep)
{
    buffer_format(out, ",\"spread\":%s,\"devices\":", sweep->spread ? "true" : "false");
    if (!sweep->device_count)
        buffer_text(out, "null");
    for (int i = 0; i < sweep->device_count; i++) {
        buffer_format(out, "%s{\"device\":%d", i ? "," : "[", sweep->devices[i].device);
        write_device_name(out, sweep->devices[i].name);
        buffer_text(out, i < sweep->device_count - 1 ? "}" : "}]");
    }
}

int view_sweep(struct buffer *out, const struct view_sweep *sweep)
{
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\"", sweep->id, sweep->state);
    write_time(out, "submitted_at", sweep->submitted_ms);
    write_time(out, "finished_at", sweep->finished_ms);
    buffer_text(out, ",\"recipe\":");
    text_string(out, sweep->recipe);
    write_owner(out, sweep->owner);
    write_ran(out, sweep);
    buffer_format(out,
                  ",\"repeat\":%d,\"point_count\":%d,\"total\":%d,\"done\":%d,\"queued\":%d,\"running\":%d,"
                  "\"succeeded\":%d,\"failed\":%d,"
                  "\"cancelled\":%d,\"removed\":%d",
                  sweep->repeat, sweep->total / sweep->repeat, sweep->total,
                  sweep->succeeded + sweep->failed + sweep->cancelled + sweep->removed, sweep->queued,
                  sweep->running, sweep->succeeded, sweep->failed, sweep->cancelled, sweep->removed);
    if (sweep->queued + sweep->running)
        write_seconds(out, "eta_seconds", sweep->eta_s);
    if (sweep->waits_for[0]) {
        buffer_text(out, ",\"waits_for\":");
        text_string(out, sweep->waits_for);
    }
    if (sweep->paused)
        buffer_text(out, ",\"paused\":true");
    if (sweep->cancelling)
        buffer_text(out, ",\"cancelling\":true");
    if (sweep->request)
        buffer_format(out, ",\"request\":%s", sweep->request);
    return buffer_format(out,
                         ",\"links\":{\"self\":\"/v1/sweeps/%s\",\"csv\":\"/v1/sweeps/%s.csv\","
                         "\"experiments\":\"/v1/experiments?sweep=%s\"}",
                         sweep->id, sweep->id, sweep->id);
}

int view_point(struct buffer *out, const struct view_point *point)
{
    const struct view_experiment *experiment = point->experiment;
    buffer_format(out, "{\"index\":%d,\"values\":", point->index);
    buffer_text(out, point->values);
    if (!experiment) {
        bool removed = !point->failure;
        buffer_text(out, removed ? ",\"state\":\"removed\",\"id\":" : ",\"state\":\"failed\",\"id\":");
        text_string(out, removed ? point->id : NULL);
        write_round(out, point->repeated, point->repeat_index);
        buffer_text(out, ",\"request\":");
        buffer_text(out, removed ? "null" : point->request);
        buffer_text(out, ",\"failure\":");
        buffer_text(out, removed ? VIEW_REMOVED : point->failure);
        buffer_text(out, ",\"result\":null");
        text_members(out, point->reference);
        return buffer_text(out, "}");
    }
    buffer_format(out, ",\"state\":\"%s\",\"id\":\"%s\"", experiment->state, experiment->id);
    view_device_of(out, experiment->device, experiment->device_name);
    buffer_format(out, ",\"attempt\":%d", experiment->attempt);
    write_round(out, experiment->repeated, experiment->repeat_index);
    write_times(out, experiment);
    buffer_text(out, ",\"request\":");
    buffer_text(out, experiment->request);
    write_failure(out, experiment);
    buffer_text(out, ",\"result\":");
    buffer_text(out, experiment->result ? experiment->result : "null");
    text_members(out, point->reference);
    write_links(out, experiment);
    return buffer_text(out, "}");
}

/* The facts' members and what follows from them, after the index. */
static int write_facts(struct buffer *out, const struct device_facts *facts)
{
    json_t *object = facts_to_json(facts), *peaks = peaks_to_json(facts);
    if (object && (!peaks || json_object_update(object, peaks) < 0)) {
        json_decref(object);
        object = NULL;
    }
    json_decref(peaks);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    int failed = text ? text_members(out, text) : -1;
    free(text);
    return failed;
}

static int write_live(struct buffer *out, const struct view_device *device)
{
    json_t *object = live_to_json(device->live, device->live_age_s);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    int failed = text ? buffer_format(out, ",\"live\":%s", text) : -1;
    free(text);
    return failed;
}

void view_hold(struct buffer *out, const struct view_hold *hold)
{
    buffer_format(out, ",\"paused\":%s", hold->held ? "true" : "false");
    if (!hold->held)
        return;
    buffer_text(out, ",\"paused_by\":");
    text_string(out, hold->owner && hold->owner[0] ? hold->owner : NULL);
    write_time(out, "paused_since", hold->since_ms);
}

int view_device(struct buffer *out, const struct view_device *device)
{
    buffer_format(out, "{\"index\":%d", device->index);
    write_device_name(out, device->name);
    buffer_text(out, ",\"note\":");
    text_string(out, device->note[0] ? device->note : NULL);
    buffer_format(out, ",\"in_list\":%s,\"readiness\":\"%s\",\"idle\":\"%s\",\"executor_build\":",
                  device->listed ? "true" : "false", device->readiness,
                  device->release ? "release" : "context");
    text_string(out, device->build[0] ? device->build : NULL);
    if (device->facts && write_facts(out, device->facts) < 0)
        return -1;
    buffer_format(out, ",\"status\":{\"health\":\"%s\",\"reason\":", device->health);
    text_string(out, device->reason && device->reason[0] ? device->reason : NULL);
    if (device->executor)
        buffer_format(out, ",\"executor_pid\":%lld", (long long)device->executor);
    else
        buffer_text(out, ",\"executor_pid\":null");
    buffer_format(out, ",\"context\":%s,\"runs\":%lld,\"failures\":%lld}", device->context ? "true" : "false",
                  (long long)device->runs, (long long)device->failures);
    view_hold(out, &device->hold);
    if (device->live && write_live(out, device) < 0)
        return -1;
    return buffer_format(out, ",\"links\":{\"self\":\"/v1/devices/%d\"}}", device->index);
}

int view_queue(struct buffer *out, const struct view_queue *queue)
{
    bool running = queue->running && queue->running[0];
    buffer_format(out, "{\"device\":%d", queue->device);
    write_device_name(out, queue->name);
    buffer_format(out, ",\"queued\":%d,\"running\":", queue->queued);
    text_string(out, running ? queue->running : NULL);
    write_seconds(out, "mean_seconds", queue->mean_s);
    write_seconds(out, "eta_seconds", queue->eta_s);
    buffer_text(out, ",\"waits_for\":");
    text_string(out, queue->waits_for && queue->waits_for[0] ? queue->waits_for : NULL);
    view_hold(out, &queue->hold);
    buffer_text(out, ",\"owners\":[");
    for (int i = 0; i < queue->owner_count; i++) {
        const struct view_owner *owner = &queue->owners[i];
        buffer_format(out, "%s{\"queued\":%d,\"running\":%s,\"share\":%.4f", i ? "," : "", owner->queued,
                      owner->running ? "true" : "false", owner->share);
        write_owner(out, owner->name);
        buffer_text(out, ",\"next\":");
        text_string(out, owner->next && owner->next[0] ? owner->next : NULL);
        write_seconds(out, "begins_seconds", owner->begins_s);
        write_seconds(out, "ends_seconds", owner->ends_s);
        buffer_text(out, "}");
    }
    return buffer_format(out, "],\"owner_count\":%d}", queue->owners_in_all);
}

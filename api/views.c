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

static void write_place(struct buffer *out, const struct view_experiment *experiment)
{
    if (experiment->ended)
        return;
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
    buffer_text(out, ",\"device\":\"/v1/devices/");
    text_integer(out, experiment->device);
    buffer_text(out, "\"}");
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
    write_place(out, experiment);
    write_links(out, experiment);
    return buffer_text(out, "}\n");
}

int view_summary(struct buffer *out, const struct view_experiment *experiment)
{
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\",\"kernel\":", experiment->id, experiment->state);
    text_string(out, experiment->kernel);
    buffer_format(out, ",\"device\":%d,\"attempt\":%d", experiment->device, experiment->attempt);
    write_owner(out, experiment->owner);
    write_times(out, experiment);
    write_failure(out, experiment);
    buffer_text(out, ",\"request\":");
    buffer_text(out, experiment->request ? experiment->request : "null");
    write_links(out, experiment);
    return buffer_text(out, "}");
}

int view_sweep(struct buffer *out, const struct view_sweep *sweep)
{
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\"", sweep->id, sweep->state);
    write_time(out, "submitted_at", sweep->submitted_ms);
    write_time(out, "finished_at", sweep->finished_ms);
    buffer_text(out, ",\"recipe\":");
    text_string(out, sweep->recipe);
    write_owner(out, sweep->owner);
    buffer_format(out,
                  ",\"total\":%d,\"done\":%d,\"queued\":%d,\"running\":%d,\"succeeded\":%d,\"failed\":%d,"
                  "\"cancelled\":%d,\"removed\":%d",
                  sweep->total, sweep->succeeded + sweep->failed + sweep->cancelled + sweep->removed,
                  sweep->queued, sweep->running, sweep->succeeded, sweep->failed, sweep->cancelled,
                  sweep->removed);
    if (sweep->queued + sweep->running)
        write_seconds(out, "eta_seconds", sweep->eta_s);
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
        buffer_text(out, ",\"request\":");
        buffer_text(out, removed ? "null" : point->request);
        buffer_text(out, ",\"failure\":");
        buffer_text(out, removed ? VIEW_REMOVED : point->failure);
        buffer_text(out, ",\"result\":null");
        text_members(out, point->reference);
        return buffer_text(out, "}");
    }
    buffer_format(out, ",\"state\":\"%s\",\"id\":\"%s\",\"attempt\":%d", experiment->state, experiment->id,
                  experiment->attempt);
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
    if (device->facts && write_facts(out, device->facts) < 0)
        return -1;
    const char *health = device->healthy && device->facts ? "healthy" : "unhealthy";
    buffer_format(out, ",\"status\":{\"health\":\"%s\",\"reason\":", health);
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
    buffer_format(out, "{\"device\":%d,\"queued\":%d,\"running\":", queue->device, queue->queued);
    text_string(out, running ? queue->running : NULL);
    write_seconds(out, "mean_seconds", queue->mean_s);
    write_seconds(out, "eta_seconds", queue->eta_s);
    view_hold(out, &queue->hold);
    buffer_text(out, ",\"owners\":[");
    for (int i = 0; i < queue->owner_count; i++) {
        const struct view_owner *owner = &queue->owners[i];
        buffer_format(out, "%s{\"queued\":%d,\"running\":%s,\"share\":%.4f", i ? "," : "", owner->queued,
                      owner->running ? "true" : "false", owner->share);
        write_owner(out, owner->name);
        buffer_text(out, "}");
    }
    return buffer_text(out, "]}");
}

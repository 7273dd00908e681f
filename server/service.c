#include "server/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/field.h"

struct service *request_service(const struct request *request)
{
    return request_context(request);
}

bool place_find(struct service *service, struct view_experiment *view, bool *running)
{
    struct queue_depth depth;
    double ahead_s = -1;
    queue_depth(service->queue, view->device, &depth);
    view->position = queue_position(service->queue, view->id, &ahead_s);
    view->eta_s = ahead_s >= 0 && depth.mean_s >= 0 ? ahead_s + depth.mean_s : -1;
    *running = strcmp(depth.running, view->id) == 0;
    view->cancelling = *running && queue_cancelled(service->queue, view->device);
    return *running || view->position >= 0;
}

void view_of_job(const struct job *job, struct view_experiment *view)
{
    *view = (struct view_experiment){
        .id = job->id,
        .state = job_state_name(job->state),
        .kernel = job->kernel,
        .ended = job_state_ended(job->state),
        .device = job->device,
        .attempt = job->attempt,
        .submitted_ms = job->submitted_ms,
        .started_ms = job->started_ms,
        .finished_ms = job->finished_ms,
        .request = job->request,
        .result = job->result,
        .failure = &job->failure,
        .sweep = job->sweep,
        .position = -1,
        .eta_s = -1,
    };
}

/* 128 bits of FNV-1a: what ended never changes, so its text names it. */
static void tag_make(const struct buffer *body, char tag[40])
{
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13b;
    unsigned __int128 hash = ((unsigned __int128)0x6c62272e07bb0142 << 64) + 0x62b821756295c58d;
    for (size_t i = 0; i < body->size; i++)
        hash = (hash ^ (unsigned char)body->data[i]) * prime;
    snprintf(tag, 40, "\"%016llx%016llx\"", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

enum handled reply_experiment(struct request *request, const struct view_experiment *view)
{
    struct buffer body = {0};
    view_experiment(&body, view);
    if (!view->ended || body.failed)
        return reply_body(request, 200, &body);
    char tag[40];
    tag_make(&body, tag);
    reply_header(request, "ETag", tag);
    reply_header(request, "Cache-Control", "private, no-cache");
    struct buffer known = {0};
    request_list(request, "If-None-Match", &known);
    bool same = known.data && field_names_tag(known.data, tag);
    buffer_free(&known);
    return reply_body(request, same ? 304 : 200, &body);
}

enum handled reply_accepted(struct request *request, unsigned status, const struct view_experiment *view)
{
    struct buffer body = {0};
    view_accepted(&body, view);
    if (status == 202)
        reply_retry_after(request, view->eta_s);
    return reply_body(request, status, &body);
}

struct await {
    struct request *request;
    struct events *events;
    struct events_waiter *waiter;
};

static void await_wake(void *arg, enum job_state state)
{
    struct await *await = arg;
    if (job_state_ended(state))
        request_wake(await->request);
}

struct await *await_new(struct request *request, const char *id)
{
    struct await *await = calloc(1, sizeof *await);
    if (!await)
        return NULL;
    await->request = request;
    await->events = request_service(request)->events;
    await->waiter = events_wait(await->events, id, await_wake, await);
    if (!await->waiter) {
        free(await);
        return NULL;
    }
    return await;
}

void await_free(void *arg)
{
    struct await *await = arg;
    if (!await)
        return;
    events_cancel(await->events, await->waiter);
    free(await);
}

void device_write(struct buffer *out, struct devices *devices, struct readings *readings, int index)
{
    struct device_status status = {0};
    devices_get(devices, index, &status);
    struct view_device view = {
        .index = index,
        .facts = status.known ? &status.facts : NULL,
        .healthy = status.healthy,
        .reason = status.reason,
        .executor = status.executor,
        .context = status.context,
        .runs = status.runs,
        .failures = status.failures,
    };
    struct live_reading live;
    if (readings && status.known) {
        readings_get(readings, index, &status, &live, &view.live_age_s);
        view.live = &live;
    }
    if (view_device(out, &view) < 0)
        out->failed = true;
}

int wait_wanted(const struct request *request)
{
    const char *text = request_query(request, "wait");
    if (!text)
        return request_prefer_wait(request);
    if (!text[0] || text[strspn(text, "0123456789")])
        return -1;
    unsigned long seconds = strtoul(text, NULL, 10); /* the largest there is when it is too long for one */
    return seconds < REQUEST_WAIT_MAX_S ? (int)seconds : REQUEST_WAIT_MAX_S;
}

void reply_preference_applied(struct request *request)
{
    char applied[32];
    int wait_s = request_prefer_wait(request);
    if (!wait_s)
        return;
    snprintf(applied, sizeof applied, "wait=%d", wait_s);
    reply_header(request, "Preference-Applied", applied);
}

void fingerprint_make(const char *text, char fingerprint[FINGERPRINT_BYTES])
{
    unsigned long long one = 0xcbf29ce484222325, other = 0x84222325cbf29ce4;
    for (; *text; text++) {
        one = (one ^ (unsigned char)*text) * 0x100000001b3;
        other = (other ^ (unsigned char)*text) * 0x9e3779b97f4a7c15;
        other ^= other >> 29;
    }
    snprintf(fingerprint, FINGERPRINT_BYTES, "%016llx%016llx", one, other);
}

bool number_parse(const char *text, int min, int max, int *number)
{
    size_t length = strlen(text);
    if (length < 1 || length > 9 || strspn(text, "0123456789") != length)
        return false;
    *number = atoi(text);
    return *number >= min && *number <= max;
}

enum handled reply_text(struct request *request, char *text)
{
    struct buffer body = {0};
    if (!text)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
    buffer_text(&body, text);
    buffer_text(&body, "\n");
    free(text);
    return reply_body(request, 200, &body);
}

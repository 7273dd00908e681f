#include "server/routes/answer_experiment.h"

#include <stdio.h>
#include <string.h>

#include "server/http/field.h"

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

#include "server/routes/answers/answer_experiment.h"

#include <string.h>

bool place_find(struct service *service, struct view_experiment *view, bool *running)
{
    struct queue_depth depth;
    struct queue_place place;
    queue_depth(service->queue, view->device, &depth);
    view->position = queue_position(service->queue, view->id, &place);
    view->eta_s = place.ahead_s >= 0 && place.own_s >= 0 ? place.ahead_s + place.own_s : -1;
    view->paused = place.paused;
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
        .owner = job->owner,
        .position = -1,
        .eta_s = -1,
    };
}

enum handled reply_experiment(struct request *request, const struct view_experiment *view)
{
    struct buffer body = {0};
    view_experiment(&body, view);
    return view->ended ? reply_lasting(request, &body, view->id) : reply_body(request, 200, &body);
}

enum handled reply_accepted(struct request *request, unsigned status, const struct view_experiment *view)
{
    struct buffer body = {0};
    view_accepted(&body, view);
    if (status == 202)
        reply_retry_after(request, view->eta_s);
    return reply_body(request, status, &body);
}

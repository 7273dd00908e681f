#include "server/routes/experiment_reply.h"

#include <string.h>

#include "server/queue/queue_view.h"
#include "server/routes/block_reason.h"
#include "server/routes/service.h"

/* An unbound experiment runs on the device whose queue says so. */
static bool running_find(struct service *service, struct view_experiment *view)
{
    struct device_set candidates = device_set_of(view->device);
    struct device_stats depth;
    if (view->device < 0)
        candidates = devices_listed(service->devices);
    for (int i = device_set_next(&candidates, 0); i >= 0; i = device_set_next(&candidates, i + 1)) {
        queue_view_device(service->queue, i, &depth);
        if (strcmp(depth.running, view->id) != 0)
            continue;
        view->device = i;
        service_device_name(service->devices, i, view->device_name);
        return true;
    }
    return false;
}

bool experiment_reply_place(struct service *service, struct view_experiment *view, bool *running)
{
    struct queue_position place;
    view->position = queue_view_position(service->queue, view->id, &place);
    view->eta_s = place.ahead_s >= 0 && place.own_s >= 0 ? place.ahead_s + place.own_s : -1;
    view->paused = place.paused;
    service_device_name(service->devices, view->device, view->device_name);
    *running = view->position <= 0 && running_find(service, view);
    view->running = *running;
    view->cancelling = *running && queue_view_cancelled(service->queue, view->device);
    view->waits_for[0] = '\0';
    if (!*running && view->position >= 0)
        block_reason_write(service, view->device, view->request, view->waits_for, sizeof view->waits_for);
    return *running || view->position >= 0;
}

void experiment_reply_init(struct service *service, const struct job *job, struct view_experiment *view)
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
        .lost = job->lost,
        .sweep = job->sweep,
        .owner = job->owner,
        .repeated = job->repeat_index >= 0,
        .repeat_index = job->repeat_index,
        .position = -1,
        .eta_s = -1,
        .running = job->state == JOB_RUNNING,
    };
    service_device_name(service->devices, job->device, view->device_name);
}

enum handled experiment_reply_send(struct request *request, const struct view_experiment *view)
{
    struct buffer body = {0};
    experiment_view_write(&(struct json_writer){.out = &body}, NULL, view);
    buffer_text(&body, "\n");
    return view->ended ? reply_immutable(request, &body, view->id) : reply_body(request, 200, &body);
}

enum handled experiment_reply_accepted(struct request *request, unsigned status,
                                       const struct view_experiment *view)
{
    struct buffer body = {0};
    experiment_view_accepted(&(struct json_writer){.out = &body}, NULL, view);
    buffer_text(&body, "\n");
    if (status == 202)
        reply_retry_after(request, view->eta_s);
    return reply_body(request, status, &body);
}

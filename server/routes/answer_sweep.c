#include "server/routes/answer_sweep.h"

#include <stdlib.h>

#include "server/routes/choosing.h"
#include "server/routes/waiting.h"
#include "server/queue/queue_view.h"

static const char *state_of(const struct sweep_row *row)
{
    if (!sweep_row_ended(row))
        return "running";
    if (row->cancelled)
        return "cancelled";
    return row->states[JOB_SUCCEEDED] == row->total ? "succeeded" : "finished";
}

void view_of_sweep(struct service *service, const struct sweep_row *row, struct view_sweep *view)
{
    bool ended = sweep_row_ended(row);
    *view = (struct view_sweep){
        .id = row->id,
        .state = state_of(row),
        .recipe = row->recipe,
        .owner = row->owner,
        .submitted_ms = row->submitted_ms,
        .finished_ms = ended ? row->finished_ms : 0,
        .repeat = row->rounds,
        .total = row->total,
        .queued = row->states[JOB_QUEUED],
        .running = row->states[JOB_RUNNING],
        .succeeded = row->states[JOB_SUCCEEDED],
        .failed = row->states[JOB_FAILED],
        .cancelled = row->states[JOB_CANCELLED],
        .removed = row->removed,
        .cancelling = row->cancelled && !ended,
    };
    view->spread = row->spread;
    for (int i = device_set_next(&row->devices, 0); i >= 0; i = device_set_next(&row->devices, i + 1)) {
        struct view_ran *ran = &view->devices[view->device_count++];
        ran->device = i;
        choosing_name(service->devices, i, ran->name);
    }
    int device;
    char *next = ended ? NULL : queue_view_sweep_next(service->queue, row->id, &device);
    if (next)
        waiting_tell(service, device, next, view->waits_for, sizeof view->waits_for);
    free(next);
    view->eta_s = queue_view_sweep_eta_s(service->queue, row->id, &view->paused);
}

enum handled reply_sweep_accepted(struct request *request, unsigned status, const struct sweep_row *row)
{
    struct buffer body = {0};
    struct view_sweep view;
    view_of_sweep(request_service(request), row, &view);
    view_sweep(&body, &view);
    buffer_text(&body, "}\n");
    if (status == 202)
        reply_retry_after(request, view.eta_s);
    return reply_body(request, status, &body);
}

int sweep_find(struct request *request, const char *id, struct sweep_row *row, enum handled *handled)
{
    struct error error = {0};
    if (id_valid(id) && store_sweep(request_service(request)->store, id, row, &error) == 0)
        return 0;
    *handled = error.kind == ERROR_NONE || error.kind == ERROR_NOT_FOUND
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no sweep %s", id)
                   : reply_error(request, &error);
    return -1;
}

/* Sweeps as the endpoints show them. */
#include "server/routes/sweep_reply.h"

#include <stdlib.h>

#include "server/queue/queue_view.h"
#include "server/routes/block_reason.h"

const char *sweep_reply_state(const struct sweep_row *row)
{
    if (!sweep_row_ended(row))
        return "running";
    if (row->cancelled)
        return "cancelled";
    return row->states[JOB_SUCCEEDED] == row->total ? "succeeded" : "finished";
}

void sweep_reply_init(struct service *service, const struct sweep_row *row, struct view_sweep *view)
{
    bool ended = sweep_row_ended(row);
    *view = (struct view_sweep){
        .id = row->id,
        .state = sweep_reply_state(row),
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
        service_device_name(service->devices, i, ran->name);
    }
    int device;
    char *next = ended ? NULL : queue_view_sweep_next(service->queue, row->id, &device);
    if (next)
        block_reason_write(service, device, next, view->waits_for, sizeof view->waits_for);
    free(next);
    view->eta_s = queue_view_sweep_eta_s(service->queue, row->id, &view->paused);
}

enum handled sweep_reply_accepted(struct request *request, unsigned status, const struct sweep_row *row)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    struct view_sweep view;
    sweep_reply_init(service_of(request), row, &view);
    sweep_view_open(&json, NULL, &view);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    if (status == 202)
        reply_retry_after(request, view.eta_s);
    return reply_body(request, status, &body);
}

int sweep_reply_read(struct request *request, const char *id, struct sweep_row *row, enum handled *handled)
{
    struct error error = {0};
    if (id_valid(id) && store_sweep(service_of(request)->store, id, row, &error) == 0)
        return 0;
    *handled = error.kind == ERROR_NONE || error.kind == ERROR_NOT_FOUND
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no sweep %s", id)
                   : reply_error(request, &error);
    return -1;
}

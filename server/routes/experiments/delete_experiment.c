/* DELETE /v1/experiments/{id}: ends one that has not ended. At once when it is queued; one that runs is
   stopped by ending its executor, which takes a moment. */
#include "server/http/route.h"
#include "server/routes/answers/answer_experiment.h"
#include "server/routes/answers/answer_forbidden.h"
#include "server/routes/cancel.h"
#include "server/routes/service.h"

/* What became of it. `asked`: the queue has taken the cancellation. */
static enum handled answer(struct request *request, const char *id, bool asked)
{
    struct service *service = request_service(request);
    struct job *job = NULL;
    struct error error = {0};
    if (store_get(service->store, id, &job, &error) < 0) {
        if (error.kind == ERROR_NOT_FOUND)
            return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
        return reply_error(request, &error);
    }
    struct view_experiment view;
    bool running;
    view_of_job(job, &view);
    if (!view.ended)
        place_find(service, &view, &running);
    enum handled handled;
    if (!asked || (view.ended && job->state != JOB_CANCELLED)) {
        handled = reply_problem(request, PROBLEM_CONFLICT, "experiment %s has ended: %s", id, view.state);
    } else {
        view.cancelling = !view.ended;
        handled = reply_accepted(request, view.ended ? 200 : 202, &view);
    }
    job_free(job);
    return handled;
}

static enum handled handle(struct request *request)
{
    if (!id_valid(request_param(request)))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", request_param(request));
    enum handled handled;
    if (!request_kept(request) && forbid_experiment_of_other(request, request_param(request), &handled))
        return handled;
    return cancel_handle(request, queue_cancel, answer);
}

const struct route route_delete_experiment = {
    .method = "DELETE",
    .pattern = "/v1/experiments/{id}",
    .type = "application/json",
    .handle = handle,
};

/* DELETE /v1/experiments/{id}: ends one that has not ended. At once when it is queued; one that runs is
   stopped by ending its executor, which takes a moment. With ?remove=true: removes one that has ended. */
#include "server/http/route.h"
#include "server/queue/queue_cancel.h"
#include "server/routes/answer_experiment.h"
#include "server/routes/answer_forbidden.h"
#include "server/routes/cancel.h"
#include "server/routes/remove.h"
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
    view_of_job(service, job, &view);
    if (!view.ended)
        place_find(service, &view, &running);
    enum handled handled;
    if (!asked || (view.ended && job->state != JOB_CANCELLED)) {
        handled =
            reply_problem(request, PROBLEM_CONFLICT,
                          "experiment %s has ended: %s; DELETE with ?remove=true removes it", id, view.state);
    } else {
        view.cancelling = !view.ended;
        handled = reply_accepted(request, view.ended ? 200 : 202, &view);
    }
    job_free(job);
    return handled;
}

/* 404 when there is none, 409 while it has not ended: then *handled is the reply, -1. */
static int removal_check(struct request *request, const char *id, enum handled *handled)
{
    struct job *job = NULL;
    struct error error = {0};
    if (store_get(request_service(request)->store, id, &job, &error) < 0) {
        *handled = error.kind == ERROR_NOT_FOUND
                       ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id)
                       : reply_error(request, &error);
        return -1;
    }
    bool ended = job_state_ended(job->state);
    if (!ended)
        *handled = reply_problem(request, PROBLEM_CONFLICT,
                                 "experiment %s has not ended: %s; DELETE without remove cancels it", id,
                                 job_state_name(job->state));
    job_free(job);
    return ended ? 0 : -1;
}

static enum handled handle(struct request *request)
{
    bool remove;
    const char *wrong = remove_asked(request, &remove);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (!id_valid(request_param(request)))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", request_param(request));
    enum handled handled;
    if (!request_state(request) && forbid_experiment_of_other(request, request_param(request), &handled))
        return handled;
    if (remove)
        return remove_handle(request, STORE_EXPERIMENT, removal_check);
    return cancel_handle(request, queue_cancel, answer);
}

const struct route route_delete_experiment = {
    .method = "DELETE",
    .pattern = "/v1/experiments/{id}",
    .type = "application/json",
    .queries = remove_queries,
    .handle = handle,
};

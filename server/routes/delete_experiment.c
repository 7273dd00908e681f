/* DELETE /v1/experiments/{id}: ends one that has not ended. At once when it is queued; one that runs is
   stopped by ending its executor, which takes a moment. */
#include <stdatomic.h>
#include <stdlib.h>

#include "server/http/route.h"
#include "server/service.h"

struct cancelling {
    struct request *request;
    atomic_bool done;
    struct error failed;
};

static void on_cancelled(void *arg, const struct error *failed)
{
    struct cancelling *cancelling = arg;
    if (failed)
        cancelling->failed = *failed;
    atomic_store(&cancelling->done, true);
    request_wake(cancelling->request);
}

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
    const char *id = request_param(request);
    struct cancelling *cancelling = request_kept(request);
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
    if (cancelling) {
        if (!atomic_load(&cancelling->done))
            return request_wait(request);
        if (cancelling->failed.kind != ERROR_NONE)
            return reply_error(request, &cancelling->failed);
        return answer(request, id, true);
    }
    if (!(cancelling = calloc(1, sizeof *cancelling)))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to cancel");
    cancelling->request = request;
    request_keep(request, cancelling, free);
    struct error error = {0};
    if (queue_cancel(request_service(request)->queue, id, on_cancelled, cancelling, &error) == 0)
        return request_wait(request);
    if (error.kind != ERROR_NOT_FOUND)
        return reply_error(request, &error);
    return answer(request, id, false);
}

const struct route route_delete_experiment = {
    .method = "DELETE",
    .pattern = "/v1/experiments/{id}",
    .type = "application/json",
    .handle = handle,
};

/* GET /v1/experiments/{id}: its state, or its result; with wait=N once it has ended, or after N seconds. */
#include "server/http/route.h"
#include "server/routes/answer_experiment.h"
#include "server/routes/await.h"
#include "server/routes/service.h"

static const char *const queries[] = {"wait", NULL};

static enum handled answer(struct request *request, const struct job *job, int wait_s)
{
    struct view_experiment view;
    bool running;
    view_of_job(request_service(request), job, &view);
    if (!view.ended)
        place_find(request_service(request), &view, &running);
    if (!view.ended && wait_s) {
        if (!request_over(request))
            return request_wait_until(request, wait_s);
        if (request_ending(request))
            return reply_problem(
                request, PROBLEM_UNAVAILABLE,
                "the service is stopping; what is queued or runs will be run after its next start");
    }
    if (view.ended)
        reply_preference_applied(request);
    return reply_experiment(request, &view);
}

static enum handled handle(struct request *request)
{
    const char *id = request_param(request);
    int wait_s = await_seconds(request);
    if (wait_s < 0)
        return reply_problem(request, PROBLEM_MALFORMED, "wait must be a number of seconds");
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
    /* Before the state is read, so that an end in between is not missed. */
    if (wait_s && !request_state(request)) {
        struct await *await = await_new(request, id);
        if (!await)
            return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to wait");
        request_set_state(request, await, await_free);
    }
    struct job *job = NULL;
    struct error error = {0};
    if (store_get(request_service(request)->store, id, &job, &error) < 0) {
        if (error.kind == ERROR_NOT_FOUND)
            return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
        return reply_error(request, &error);
    }
    enum handled handled = answer(request, job, wait_s);
    job_free(job);
    return handled;
}

const struct route route_get_experiment = {
    .method = "GET",
    .pattern = "/v1/experiments/{id}",
    .type = "application/json",
    .queries = queries,
    .flags = ROUTE_CACHED,
    .handle = handle,
};

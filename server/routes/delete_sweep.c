/* DELETE /v1/sweeps/{id}: ends all of it that has not ended. What is queued in one transaction; what runs is stopped
   by ending its executor, which takes a moment. */
#include <stdatomic.h>
#include <stdlib.h>

#include "server/http/route.h"
#include "server/sweeps.h"

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

/* `asked`: the queue has taken the cancellation. */
static enum handled answer(struct request *request, const char *id, bool asked)
{
    struct sweep_row row;
    enum handled handled;
    if (sweep_find(request, id, &row, &handled) < 0)
        return handled;
    if (asked)
        handled = reply_sweep_accepted(request, sweep_row_ended(&row) ? 200 : 202, &row);
    else
        handled = reply_problem(request, PROBLEM_CONFLICT, "sweep %s has ended", id);
    sweep_row_clear(&row);
    return handled;
}

static enum handled handle(struct request *request)
{
    const char *id = request_param(request);
    struct cancelling *cancelling = request_kept(request);
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
    if (queue_cancel_sweep(request_service(request)->queue, id, on_cancelled, cancelling, &error) == 0)
        return request_wait(request);
    if (error.kind != ERROR_NOT_FOUND)
        return reply_error(request, &error);
    return answer(request, id, false);
}

const struct route route_delete_sweep = {
    .method = "DELETE",
    .pattern = "/v1/sweeps/{id}",
    .type = "application/json",
    .handle = handle,
};

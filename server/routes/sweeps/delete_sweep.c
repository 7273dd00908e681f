/* DELETE /v1/sweeps/{id}: ends all of it that has not ended. What is queued in one transaction; what runs is stopped
   by ending its executor, which takes a moment. */
#include "server/routes/cancel.h"
#include "server/http/route.h"
#include "server/routes/answers/answer_forbidden.h"
#include "server/routes/answers/answer_sweep.h"

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
    enum handled handled;
    if (!request_kept(request) && forbid_sweep_of_other(request, request_param(request), &handled))
        return handled;
    return cancel_handle(request, queue_cancel_sweep, answer);
}

const struct route route_delete_sweep = {
    .method = "DELETE",
    .pattern = "/v1/sweeps/{id}",
    .type = "application/json",
    .handle = handle,
};

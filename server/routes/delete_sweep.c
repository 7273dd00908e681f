/* DELETE /v1/sweeps/{id}: ends all of it that has not ended. What is queued in one transaction; what runs is stopped
   by ending its executor, which takes a moment. With ?remove=true: removes one that has ended, with its experiments. */
#include "server/routes/cancel.h"
#include "server/routes/remove.h"
#include "server/http/route.h"
#include "server/queue/queue_cancel.h"
#include "server/routes/answer_forbidden.h"
#include "server/routes/answer_sweep.h"

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
        handled = reply_problem(request, PROBLEM_CONFLICT,
                                "sweep %s has ended; DELETE with ?remove=true removes it", id);
    sweep_row_clear(&row);
    return handled;
}

/* 404 when there is none, 409 while it has not ended: then *handled is the reply, -1. */
static int removal_check(struct request *request, const char *id, enum handled *handled)
{
    struct sweep_row row;
    if (sweep_find(request, id, &row, handled) < 0)
        return -1;
    bool ended = sweep_row_ended(&row);
    if (!ended)
        *handled = reply_problem(request, PROBLEM_CONFLICT,
                                 "sweep %s has not ended; DELETE without remove cancels it", id);
    sweep_row_clear(&row);
    return ended ? 0 : -1;
}

static enum handled handle(struct request *request)
{
    bool remove;
    const char *wrong = remove_asked(request, &remove);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    enum handled handled;
    if (!request_state(request) && forbid_sweep_of_other(request, request_param(request), &handled))
        return handled;
    if (remove)
        return remove_handle(request, STORE_SWEEP, removal_check);
    return cancel_handle(request, queue_cancel_sweep, answer);
}

const struct route route_delete_sweep = {
    .method = "DELETE",
    .pattern = "/v1/sweeps/{id}",
    .type = "application/json",
    .queries = remove_queries,
    .handle = handle,
};

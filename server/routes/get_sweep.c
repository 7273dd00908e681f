/* GET /v1/sweeps/{id}: where it stands and a page of its points, as far as they are; with wait=N once all have
   ended, or after N seconds. As text/csv: a table of all its points. */
#include <string.h>

#include "api/csv.h"
#include "server/http/route.h"
#include "server/routes/answer_sweep.h"
#include "server/routes/sweep_points.h"
#include "server/routes/await.h"

static const char *const queries[] = {"columns", "page_size", "page_token", "view", "wait", NULL};

static enum handled answer(struct request *request, const struct sweep_row *row, int wait_s,
                           const struct sweep_page *page)
{
    bool ended = sweep_row_ended(row);
    if (!ended && wait_s) {
        if (!request_over(request))
            return request_wait_until(request, wait_s);
        if (request_ending(request))
            return reply_problem(request, PROBLEM_UNAVAILABLE,
                                 "the service is stopping; the sweep goes on after its next start");
    }
    if (ended)
        reply_preference_applied(request);
    return reply_sweep(request, row, page);
}

static enum handled handle(struct request *request)
{
    const char *id = request_param(request);
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    struct sweep_page page;
    struct sweep_row row;
    enum handled handled;
    int wait_s = await_seconds(request);
    const char *wrong = sweep_page_read(request, table, &page);
    if (wait_s < 0)
        wrong = "wait must be a number of seconds";
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    /* Before the state is read, so that an end in between is not missed. */
    if (wait_s && !request_state(request)) {
        struct await *await = await_new(request, id);
        if (!await)
            return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to wait");
        request_set_state(request, await, await_free);
    }
    if (sweep_find(request, id, &row, &handled) < 0)
        return handled;
    handled = answer(request, &row, wait_s, &page);
    sweep_row_clear(&row);
    return handled;
}

const struct route route_get_sweep = {
    .method = "GET",
    .pattern = "/v1/sweeps/{id}",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};

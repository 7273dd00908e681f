/* GET /v1/sweeps/{id}.csv: the table of all points, for whoever cannot send an Accept header. */
#include "api/csv.h"
#include "server/http/route.h"
#include "server/routes/answer_sweep.h"
#include "server/routes/sweep_points.h"

static const char *const queries[] = {"columns", "view", NULL};

static enum handled handle(struct request *request)
{
    struct sweep_row row;
    struct sweep_page page;
    enum handled handled;
    const char *wrong = sweep_page_read(request, true, &page);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (sweep_find(request, request_param(request), &row, &handled) < 0)
        return handled;
    handled = reply_sweep(request, &row, &page);
    sweep_row_clear(&row);
    return handled;
}

const struct route route_get_sweep_csv = {
    .method = "GET",
    .pattern = "/v1/sweeps/{id}.csv",
    .type = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};

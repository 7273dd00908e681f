/* GET /v1/sweeps/{id}.csv: the table of all points, for whoever cannot send an Accept header. */
#include <limits.h>

#include "api/csv.h"
#include "server/http/route.h"
#include "server/routes/answers/answer_sweep.h"

static enum handled handle(struct request *request)
{
    struct sweep_row row;
    enum handled handled;
    if (sweep_find(request, request_param(request), &row, &handled) < 0)
        return handled;
    handled = reply_sweep_table(request, &row, &(struct sweep_page){.size = INT_MAX});
    sweep_row_clear(&row);
    return handled;
}

const struct route route_get_sweep_csv = {
    .method = "GET",
    .pattern = "/v1/sweeps/{id}.csv",
    .type = CSV_MEDIA_TYPE,
    .flags = ROUTE_APART,
    .handle = handle,
};

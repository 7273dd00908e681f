/* POST /v1/sweeps: one request for many experiments; with Accept: text/csv the table of those that ended while it
   waited. */
#include "api/csv.h"
#include "server/http/request.h"
#include "server/routes/sweeping.h"

static const char *const queries[] = {"columns", "view", NULL};

static enum handled handle(struct request *request)
{
    return request_state(request) ? sweeping_handle(request) : sweeping_begin(request, false);
}

const struct route route_post_sweeps = {
    .method = "POST",
    .pattern = "/v1/sweeps",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_JSON,
    .body_max = 1 << 20,
    .handle = handle,
};

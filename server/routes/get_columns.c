/* GET /v1/columns: the columns that tables have. */
#include "api/figures.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    figures_json(&body);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "columns");
}

const struct route route_get_columns = {
    .method = "GET",
    .pattern = "/v1/columns",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

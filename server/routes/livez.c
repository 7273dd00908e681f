/* GET /livez: the process answers. Nothing else is checked: what is wrong behind it no restart would mend. */
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    return reply_static(request, "{\"status\":\"alive\"}\n");
}

const struct route route_livez = {
    .method = "GET",
    .pattern = "/livez",
    .type = "application/json",
    .flags = ROUTE_OPEN | ROUTE_HEALTH,
    .handle = handle,
};

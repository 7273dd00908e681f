/* GET /openapi.yaml: the contract, as it was when this program was built. */
#include "server/http/route.h"
#include "server/routes/service.h"

extern const char api_openapi_yaml[];

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    buffer_text(&body, api_openapi_yaml);
    return reply_immutable(request, &body, "openapi");
}

const struct route route_openapi = {
    .method = "GET",
    .pattern = "/openapi.yaml",
    .type = "application/yaml",
    .flags = ROUTE_OPEN | ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

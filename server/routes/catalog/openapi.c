/* GET /openapi.yaml: the contract, as it was when this program was built. */
#include "server/http/route.h"
#include "server/routes/service.h"

extern const char api_openapi_yaml[];

static enum handled handle(struct request *request)
{
    return reply_static(request, api_openapi_yaml);
}

const struct route route_openapi = {
    .method = "GET",
    .pattern = "/openapi.yaml",
    .type = "application/yaml",
    .flags = ROUTE_OPEN,
    .handle = handle,
};

/* GET /v1/kernels/{name}: one kernel, with its source. */
#include <jansson.h>
#include <stdlib.h>

#include "api/experiment_json.h"
#include "api/json.h"
#include "api/kernel_json.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct suggestion meant;
    const struct kernel *kernel = suite_find(request_param(request));
    if (!kernel)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "there is no kernel %.64s%s GET /v1/kernels lists them", request_param(request),
                             kernel_suggest(&meant, request_param(request)));
    json_t *object = kernel_to_json(kernel, true);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    return reply_immutable_text(request, text, kernel->name);
}

const struct route route_get_kernel = {
    .method = "GET",
    .pattern = "/v1/kernels/{name}",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

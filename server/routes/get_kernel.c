/* GET /v1/kernels/{name}: one kernel, with its source. */
#include "api/experiment_json.h"
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
                             experiment_json_suggest_kernel(&meant, request_param(request)));
    struct buffer body = {0};
    kernel_json_write(&(struct json_writer){.out = &body}, NULL, kernel, true);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, kernel->name);
}

const struct route route_get_kernel = {
    .method = "GET",
    .pattern = "/v1/kernels/{name}",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

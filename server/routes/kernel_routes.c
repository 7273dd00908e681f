/* /v1/kernels: the kernels that can be run. */
#include "api/experiment_json.h"
#include "api/kernel_json.h"
#include "server/routes/route_table.h"
#include "server/routes/service.h"

static route_handler kernel_list, kernel_show;

const struct route kernel_routes[] = {
    /* All kernels with their parameters. */
    {
        .method = "GET",
        .pattern = "/v1/kernels",
        .type = "application/json",
        .flags = ROUTE_CACHED | ROUTE_SLOW,
        .handle = kernel_list,
    },
    /* One kernel, with its source. */
    {
        .method = "GET",
        .pattern = "/v1/kernels/{name}",
        .type = "application/json",
        .flags = ROUTE_CACHED | ROUTE_SLOW,
        .handle = kernel_show,
    },
    {0},
};

static enum handled kernel_list(struct request *request)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "kernels");
    for (int i = 0; i < suite_count(); i++)
        kernel_json_write(&json, NULL, suite_at(i), false);
    json_writer_end(&json);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "kernels");
}

static enum handled kernel_show(struct request *request)
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

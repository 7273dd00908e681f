/* GET /v1/kernels: what can be run, and with which parameters. */
#include "api/experiment_json.h"
#include "api/kernel_json.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
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

const struct route route_get_kernels = {
    .method = "GET",
    .pattern = "/v1/kernels",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

/* GET /v1/kernels: what can be run, and with which parameters. */
#include <jansson.h>
#include <stdlib.h>

#include "api/experiment_json.h"
#include "api/json.h"
#include "api/kernel_json.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    buffer_text(&body, "{\"kernels\":[");
    for (int i = 0; i < suite_count(); i++) {
        json_t *kernel = kernel_to_json(suite_at(i), false);
        char *text = kernel ? json_dumps(kernel, API_JSON_FLAGS) : NULL;
        buffer_text(&body, i ? "," : "");
        buffer_text(&body, text ? text : "null");
        free(text);
        json_decref(kernel);
    }
    buffer_text(&body, "]}\n");
    return reply_immutable(request, &body, "kernels");
}

const struct route route_get_kernels = {
    .method = "GET",
    .pattern = "/v1/kernels",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};

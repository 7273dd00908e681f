/* GET /: a word for whoever asks by hand; a browser is led to the page. */
#include <string.h>

#include "server/http/route.h"
#include "server/routes/service.h"
#include "version.h"

static const char text[] =
    "coalesced " COALESCED_VERSION ": memory experiments on a shared GPU\n\n"
    "GET  /v1/kernels           what can be run\n"
    "GET  /v1/devices           on what\n"
    "POST /v1/experiments       run one: {\"kernel\": \"read_offset\", \"offset\": 11}\n"
    "GET  /v1/experiments/{id}  its result\n"
    "POST /v1/sweeps            many at once: {\"kernel\": \"read_offset\", \"offset\": [0, 1, 11]}\n"
    "GET  /v1/recipes           published tables, as sweeps: {\"recipe\": \"aos_soa\"}\n"
    "POST /v1/predictions       what the model says, at once\n"
    "GET  /v1/queue             what waits\n"
    "GET  /ui/                  the same in a browser\n"
    "GET  /openapi.yaml         all of it\n";

static const char page_type[] = "text/html; charset=utf-8";

static enum handled handle(struct request *request)
{
    if (strcmp(request_type(request), page_type) == 0)
        return reply_see_other(request, "ui/");
    struct buffer body = {0};
    buffer_text(&body, text);
    return reply_immutable(request, &body, "index");
}

const struct route route_index = {
    .method = "GET",
    .pattern = "/",
    .type = "text/plain",
    .other = page_type,
    .flags = ROUTE_OPEN | ROUTE_CACHED,
    .handle = handle,
};

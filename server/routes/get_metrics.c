/* GET /metrics: for Prometheus, and no different whether the store and the devices work or not. Nothing is read for it:
   of a device it tells the last reading, and how old that is. */
#include "server/http/route.h"
#include "server/routes/answer_metrics.h"

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    answer_metrics(&body, request_service(request));
    return reply_body(request, 200, &body);
}

const struct route route_get_metrics = {
    .method = "GET",
    .pattern = "/metrics",
    .type = ANSWER_METRICS_TYPE,
    .flags = ROUTE_METRICS,
    .handle = handle,
};

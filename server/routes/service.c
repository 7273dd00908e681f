#include "server/routes/service.h"

#include "server/metrics/metrics.h"

struct service *request_service(const struct request *request)
{
    return request_context(request);
}

void service_completed(void *arg, const struct http_completed *completed)
{
    (void)arg;
    metrics_request(completed->route ? completed->route->pattern : NULL, completed->method, completed->code,
                    (double)completed->took_ns / 1e9);
}

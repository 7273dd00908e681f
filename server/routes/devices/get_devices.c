/* GET /v1/devices: what experiments run on. */
#include "server/http/route.h"
#include "server/routes/answers/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct buffer body = {0};
    buffer_text(&body, "{\"devices\":[");
    for (int i = 0; i < devices_count(service->devices); i++) {
        buffer_text(&body, i ? "," : "");
        device_write(&body, service, i, false);
    }
    buffer_text(&body, "]}\n");
    return reply_body(request, 200, &body);
}

const struct route route_get_devices = {
    .method = "GET",
    .pattern = "/v1/devices",
    .type = "application/json",
    .handle = handle,
};

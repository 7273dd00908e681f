/* GET /v1/devices: what experiments run on. */
#include "server/http/route.h"
#include "server/routes/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct buffer body = {0};
    buffer_text(&body, "{\"devices\":[");
    struct device_set told = devices_told(service);
    int first = device_set_next(&told, 0);
    for (int i = first; i >= 0; i = device_set_next(&told, i + 1)) {
        buffer_text(&body, i > first ? "," : "");
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

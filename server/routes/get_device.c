/* GET /v1/devices/{n}: one device: its limits, how it is, and how it is at this moment. */
#include "server/http/route.h"
#include "server/routes/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    enum handled handled;
    int index = device_read(request, &handled);
    if (index < 0)
        return handled;
    struct buffer body = {0};
    device_write(&body, request_service(request), index, true);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

const struct route route_get_device = {
    .method = "GET",
    .pattern = "/v1/devices/{n}",
    .type = "application/json",
    .flags = ROUTE_SLOW, /* a driver may take half a second */
    .handle = handle,
};

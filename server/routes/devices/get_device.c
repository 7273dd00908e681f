/* GET /v1/devices/{n}: one device: its limits, how it is, and how it is at this moment. */
#include "server/http/admission/field.h"
#include "server/http/route.h"
#include "server/routes/answers/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct devices *devices = service->devices;
    int index;
    if (!field_number(request_param(request), 0, devices_count(devices) - 1, &index))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no device %s; this service has %d, from 0",
                             request_param(request), devices_count(devices));
    struct buffer body = {0};
    device_write(&body, devices, service->readings, index);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

const struct route route_get_device = {
    .method = "GET",
    .pattern = "/v1/devices/{n}",
    .type = "application/json",
    .flags = ROUTE_APART, /* a driver may take half a second */
    .handle = handle,
};

/* POST /v1/devices/{n}/calibration: asks for a new one. */
#include "server/http/route.h"
#include "server/routes/answers/calibration/answer_calibration.h"
#include "server/routes/answers/answer_device.h"
#include "server/routes/answers/choosing/choosing.h"

static enum handled handle(struct request *request)
{
    enum handled handled;
    struct error error = {0};
    int index = device_read(request, &handled);
    if (index < 0)
        return handled;
    if (calibrations_ask(request_service(request)->calibrations, index, &error) == 0)
        return reply_calibration(request, 202, index);
    return error.kind == ERROR_UNAVAILABLE ? reply_unknown(request, index) : reply_error(request, &error);
}

const struct route route_post_calibration = {
    .method = "POST",
    .pattern = "/v1/devices/{n}/calibration",
    .type = "application/json",
    .flags = ROUTE_ADMIN,
    .handle = handle,
};

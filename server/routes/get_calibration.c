/* GET /v1/devices/{n}/calibration: the constants that its times are made of, and where they come from. */
#include "server/http/route.h"
#include "server/routes/answer_calibration.h"
#include "server/routes/answer_device.h"

static enum handled handle(struct request *request)
{
    enum handled handled;
    int index = device_read(request, &handled);
    return index < 0 ? handled : reply_calibration(request, 200, index);
}

const struct route route_get_calibration = {
    .method = "GET",
    .pattern = "/v1/devices/{n}/calibration",
    .type = "application/json",
    .handle = handle,
};

/* POST /v1/devices/{n}/resume: it takes work again. */
#include "server/http/route.h"
#include "server/routes/answer_device.h"
#include "server/routes/answer_hold.h"

static enum handled handle(struct request *request)
{
    enum handled handled;
    int index = device_read(request, &handled);
    return index < 0 ? handled : hold_handle(request, index, false);
}

const struct route route_post_device_resume = {
    .method = "POST",
    .pattern = "/v1/devices/{n}/resume",
    .type = "application/json",
    .flags = ROUTE_ADMIN,
    .handle = handle,
};

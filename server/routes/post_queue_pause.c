/* POST /v1/queue/pause: the same as a drain for all devices. */
#include "server/http/route.h"
#include "server/queue/queue_admin.h"
#include "server/routes/answer_hold.h"

static enum handled handle(struct request *request)
{
    return hold_handle(request, QUEUE_ALL_DEVICES, true);
}

const struct route route_post_queue_pause = {
    .method = "POST",
    .pattern = "/v1/queue/pause",
    .type = "application/json",
    .flags = ROUTE_ADMIN,
    .handle = handle,
};

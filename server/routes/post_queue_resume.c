/* POST /v1/queue/resume: devices take work again, but for those that are drained. */
#include "server/http/route.h"
#include "server/queue/queue_admin.h"
#include "server/routes/answer_hold.h"

static enum handled handle(struct request *request)
{
    return hold_handle(request, QUEUE_ALL_DEVICES, false);
}

const struct route route_post_queue_resume = {
    .method = "POST",
    .pattern = "/v1/queue/resume",
    .type = "application/json",
    .flags = ROUTE_ADMIN,
    .handle = handle,
};

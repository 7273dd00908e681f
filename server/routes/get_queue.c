/* GET /v1/queue: what waits and what runs, device by device. */
#include "server/http/route.h"
#include "server/auth/user.h"
#include "server/routes/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    queue_write(&body, request_service(request), request_user(request)->name);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

const struct route route_get_queue = {
    .method = "GET",
    .pattern = "/v1/queue",
    .type = "application/json",
    .handle = handle,
};

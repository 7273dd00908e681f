/* GET /v1/queue: what waits and what runs, device by device. */
#include "api/views.h"
#include "server/http/route.h"
#include "server/people/person.h"
#include "server/routes/answers/answer_device.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct buffer body = {0}, rows = {0};
    struct queue_hold hold;
    int queued = 0, running = 0;
    for (int i = 0; i < devices_count(service->devices); i++) {
        struct queue_depth depth;
        queue_depth(service->queue, i, &depth);
        queued += depth.queued;
        running += depth.running[0] != '\0';
        buffer_text(&rows, i ? "," : "");
        device_queue_write(&rows, service, i, request_person(request)->name);
    }
    buffer_format(&body, "{\"queued\":%d,\"running\":%d,\"stopping\":%s", queued, running,
                  queue_stopping(service->queue) ? "true" : "false");
    queue_hold_all(service->queue, &hold);
    view_hold(&body, &(struct view_hold){hold.held, hold.owner, hold.since_ms});
    buffer_text(&body, ",\"devices\":[");
    buffer_append(&body, rows.data, rows.size);
    buffer_text(&body, "]}\n");
    body.failed |= rows.failed;
    buffer_free(&rows);
    return reply_body(request, 200, &body);
}

const struct route route_get_queue = {
    .method = "GET",
    .pattern = "/v1/queue",
    .type = "application/json",
    .handle = handle,
};

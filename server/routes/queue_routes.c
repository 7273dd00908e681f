/* /v1/queue: what waits and what runs; and holding devices: pause, drain, resume. */
#include <stdlib.h>

#include "api/device_view.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"
#include "server/routes/device_reply.h"
#include "server/routes/route_table.h"
#include "server/routes/wait.h"

static route_handler queue_show, queue_pause, queue_resume, device_drain, device_resume;

const struct route queue_routes[] = {
    /* What waits and what runs, device by device. */
    {
        .method = "GET",
        .pattern = "/v1/queue",
        .type = "application/json",
        .handle = queue_show,
    },
    /* No device takes anything new. */
    {
        .method = "POST",
        .pattern = "/v1/queue/pause",
        .type = "application/json",
        .flags = ROUTE_ADMIN,
        .handle = queue_pause,
    },
    /* Devices take work again, but for those that are drained. */
    {
        .method = "POST",
        .pattern = "/v1/queue/resume",
        .type = "application/json",
        .flags = ROUTE_ADMIN,
        .handle = queue_resume,
    },
    /* What runs on the device ends, and nothing more begins there until it is resumed. */
    {
        .method = "POST",
        .pattern = "/v1/devices/{n}/drain",
        .type = "application/json",
        .flags = ROUTE_ADMIN,
        .handle = device_drain,
    },
    /* The device takes work again. */
    {
        .method = "POST",
        .pattern = "/v1/devices/{n}/resume",
        .type = "application/json",
        .flags = ROUTE_ADMIN,
        .handle = device_resume,
    },
    {0},
};

static enum handled queue_show(struct request *request)
{
    struct buffer body = {0};
    device_reply_write_queues(&(struct json_writer){.out = &body}, NULL, service_of(request),
                              request_user(request)->name);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

/* ---- holding and resuming ---- */

/* How it is now: paused or not, and by whom and since when. */
static enum handled hold_answer(struct request *request, int device)
{
    struct queue *queue = service_of(request)->queue;
    struct device_stats stats;
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    queue_view_device(queue, device, &stats);
    json_writer_begin_object(&json, NULL);
    if (device == QUEUE_ALL_DEVICES)
        json_writer_null(&json, "device");
    else
        json_writer_int(&json, "device", device);
    device_view_hold(&json, &(struct view_hold){stats.hold.held, stats.hold.owner, stats.hold.since_ms});
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

/* `device` may be QUEUE_ALL_DEVICES. */
static enum handled hold_handle(struct request *request, int device, bool held)
{
    struct commit_wait *wait = request_state(request);
    struct error error = {0};
    enum handled handled;
    if (wait)
        return wait_commit_over(wait, &handled) ? hold_answer(request, device) : handled;
    if (!(wait = wait_commit_new(request, sizeof *wait, free, &handled)))
        return handled;
    if (queue_admin_hold(service_of(request)->queue, device, held, request_user(request)->name,
                         &wait->changed, wait_commit_done, wait, &error) == 0)
        return request_wait(request);
    return reply_error(request, &error);
}

/* For the device that the path names. */
static enum handled hold_device(struct request *request, bool held)
{
    enum handled handled;
    int index = device_reply_find(request, &handled);
    return index < 0 ? handled : hold_handle(request, index, held);
}

static enum handled queue_pause(struct request *request)
{
    return hold_handle(request, QUEUE_ALL_DEVICES, true);
}

static enum handled queue_resume(struct request *request)
{
    return hold_handle(request, QUEUE_ALL_DEVICES, false);
}

static enum handled device_drain(struct request *request)
{
    return hold_device(request, true);
}

static enum handled device_resume(struct request *request)
{
    return hold_device(request, false);
}

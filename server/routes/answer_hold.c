#include "server/routes/answer_hold.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "api/views.h"
#include "server/auth/user.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"

struct holding {
    struct request *request;
    atomic_bool done;
    bool changed;
    struct error failed;
};

static void on_held(void *arg, const struct error *failed)
{
    struct holding *holding = arg;
    if (failed)
        holding->failed = *failed;
    else if (!holding->changed)
        request_unchanged(holding->request);
    atomic_store(&holding->done, true);
    request_wake(holding->request);
}

static enum handled answer(struct request *request, int device)
{
    struct queue *queue = request_service(request)->queue;
    struct device_stats depth;
    struct buffer body = {0};
    queue_view_device(queue, device, &depth);
    if (device == QUEUE_ALL_DEVICES) {
        queue_view_hold(queue, &depth.hold);
        buffer_text(&body, "{\"device\":null");
    } else {
        buffer_format(&body, "{\"device\":%d", device);
    }
    view_hold(&body, &(struct view_hold){depth.hold.held, depth.hold.owner, depth.hold.since_ms});
    buffer_text(&body, "}\n");
    return reply_body(request, 200, &body);
}

enum handled hold_handle(struct request *request, int device, bool held)
{
    struct holding *holding = request_state(request);
    if (holding) {
        if (!atomic_load(&holding->done))
            return request_wait(request);
        if (holding->failed.kind != ERROR_NONE)
            return reply_error(request, &holding->failed);
        return answer(request, device);
    }
    if (!(holding = calloc(1, sizeof *holding)))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to hold or resume");
    holding->request = request;
    request_set_state(request, holding, free);
    struct error error = {0};
    if (queue_admin_hold(request_service(request)->queue, device, held, request_user(request)->name,
                         &holding->changed, on_held, holding, &error) == 0)
        return request_wait(request);
    return reply_error(request, &error);
}

#include "server/routes/answers/answer_device.h"

#include <stdlib.h>

#include "api/views.h"
#include "server/http/admission/field.h"

static struct view_hold view_of_hold(const struct queue_hold *hold)
{
    return (struct view_hold){hold->held, hold->owner, hold->since_ms};
}

void device_write(struct buffer *out, struct service *service, int index, bool live)
{
    struct device_status status = {0};
    struct queue_depth depth;
    queue_depth(service->queue, index, &depth);
    devices_get(service->devices, index, &status);
    struct view_device view = {
        .index = index,
        .facts = status.known ? &status.facts : NULL,
        .healthy = status.healthy,
        .reason = status.reason,
        .executor = status.executor,
        .context = status.context || status.own.pid[1],
        .runs = status.runs,
        .failures = status.failures,
        .hold = view_of_hold(&depth.hold),
    };
    struct live_reading reading;
    if (live && status.known) {
        readings_get(service->readings, index, &status, &reading, &view.live_age_s);
        view.live = &reading;
    }
    if (view_device(out, &view) < 0)
        out->failed = true;
}

void device_queue_write(struct buffer *out, struct service *service, int index, const char *owner)
{
    struct queue_depth depth;
    struct queue_owner *owners;
    queue_depth(service->queue, index, &depth);
    int count = queue_owners(service->queue, index, &owners);
    struct view_owner *views = count >= 0 ? calloc((size_t)count + 1, sizeof *views) : NULL;
    for (int i = 0; views && i < count; i++)
        views[i] = (struct view_owner){owners[i].name, owners[i].queued, owners[i].running, owners[i].share};
    struct view_queue view = {
        .device = index,
        .queued = depth.queued,
        .running = depth.running,
        .mean_s = depth.mean_s,
        .eta_s = queue_next_s(service->queue, index, owner),
        .hold = view_of_hold(&depth.hold),
        .owners = views,
        .owner_count = count,
    };
    if (!views || view_queue(out, &view) < 0)
        out->failed = true;
    free(views);
    free(owners);
}

int device_read(struct request *request, enum handled *handled)
{
    int index, count = devices_count(request_service(request)->devices);
    if (field_number(request_param(request), 0, count - 1, &index))
        return index;
    *handled = reply_problem(request, PROBLEM_NOT_FOUND, "there is no device %s; this service has %d, from 0",
                             request_param(request), count);
    return -1;
}

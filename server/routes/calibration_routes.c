/* /v1/devices/{n}/calibration: the constants that predicted times are made of. */
#include <stddef.h>
#include <stdlib.h>

#include "api/calibration_json.h"
#include "api/text.h"
#include "server/routes/device_reply.h"
#include "server/routes/route_table.h"
#include "server/routes/wait.h"

static route_handler calibration_show, calibration_ask;

const struct route calibration_routes[] = {
    /* The constants in use, and where they come from. */
    {
        .method = "GET",
        .pattern = "/v1/devices/{n}/calibration",
        .type = "application/json",
        .handle = calibration_show,
    },
    /* Asks for a new one. Its sweep is on the disk before the answer leaves. */
    {
        .method = "POST",
        .pattern = "/v1/devices/{n}/calibration",
        .type = "application/json",
        .flags = ROUTE_ADMIN,
        .handle = calibration_ask,
    },
    {0},
};

static void member_write(struct buffer *body, const char *name, const char *text)
{
    buffer_format(body, ",\"%s\":", name);
    text_string(body, text[0] ? text : NULL);
}

static enum handled calibration_reply(struct request *request, unsigned status, int device)
{
    static const char *const states[] = {[CALIBRATIONS_NONE] = "none",
                                         [CALIBRATIONS_RUNNING] = "running",
                                         [CALIBRATIONS_MADE] = "made",
                                         [CALIBRATIONS_STALE] = "stale",
                                         [CALIBRATIONS_SHIPPED] = "shipped"};
    struct service *service = service_of(request);
    struct calibrations_view view;
    struct buffer body = {0};
    char name[DEVICE_NAME_BYTES];
    service_device_name(service->devices, device, name);
    calibrations_get(service->calibrations, device, &view);
    buffer_format(&body, "{\"device\":%d", device);
    member_write(&body, "device_name", name);
    member_write(&body, "state", states[view.state]);
    member_write(&body, "reason", view.reason);
    buffer_format(&body, ",\"automatic\":%s", view.automatic ? "true" : "false");
    member_write(&body, "sweep", view.sweep);
    member_write(&body, "failure", view.failure);
    buffer_text(&body, ",\"calibration\":");
    if (view.given)
        calibration_json_write(&body, &view.calibration);
    else
        buffer_text(&body, "null");
    buffer_format(&body, ",\"links\":{\"self\":\"/v1/devices/%d/calibration\",\"device\":\"/v1/devices/%d\"",
                  device, device);
    if (view.sweep[0])
        buffer_format(&body, ",\"sweep\":\"/v1/sweeps/%s\"", view.sweep);
    buffer_text(&body, "}}\n");
    return reply_body(request, status, &body);
}

static enum handled calibration_show(struct request *request)
{
    enum handled handled;
    int index = device_reply_find(request, &handled);
    return index < 0 ? handled : calibration_reply(request, 200, index);
}

struct asking {
    struct commit_wait commit;
    struct calibration_waiter waiter;
};

static void on_done(struct calibration_waiter *waiter, const struct error *failed)
{
    wait_commit_done((char *)waiter - offsetof(struct asking, waiter), failed);
}

static enum handled calibration_ask(struct request *request)
{
    enum handled handled;
    struct asking *asking = request_state(request);
    struct service *service = service_of(request);
    struct device_status status = {0};
    struct error error = {0};
    int index = device_reply_find(request, &handled);
    if (index < 0)
        return handled;
    if (asking)
        return wait_commit_over(&asking->commit, &handled) ? calibration_reply(request, 202, index) : handled;
    if (!(asking = wait_commit_new(request, sizeof *asking, free, &handled)))
        return handled;
    asking->waiter.done = on_done;
    if (calibrations_ask(service->calibrations, index, &asking->waiter, &error) == 0)
        return request_wait(request);
    devices_get(service->devices, index, &status);
    return status.known ? reply_error(request, &error) : service_reply_unknown_device(request, index);
}

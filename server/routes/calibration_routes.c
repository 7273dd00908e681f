/* /v1/devices/{n}/calibration: the constants that predicted times are made of. */
#include <stddef.h>
#include <stdlib.h>

#include <stdio.h>

#include "api/calibration_json.h"
#include "api/json_parts.h"
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

static void write_links(struct json_writer *json, int device, const char *sweep)
{
    char own[64], of_device[32], of_sweep[96];
    snprintf(own, sizeof own, "/v1/devices/%d/calibration", device);
    snprintf(of_device, sizeof of_device, "/v1/devices/%d", device);
    snprintf(of_sweep, sizeof of_sweep, "/v1/sweeps/%s", sweep);
    json_writer_begin_object(json, "links");
    json_writer_string(json, "self", own);
    json_writer_string(json, "device", of_device);
    if (sweep[0])
        json_writer_string(json, "sweep", of_sweep);
    json_writer_end(json);
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
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_int(&json, "device", device);
    json_parts_name(&json, "device_name", name);
    json_writer_string(&json, "state", states[view.state]);
    json_parts_name(&json, "reason", view.reason);
    json_writer_bool(&json, "automatic", view.automatic);
    json_parts_name(&json, "sweep", view.sweep);
    json_parts_name(&json, "failure", view.failure);
    if (view.given)
        calibration_json_write(&json, "calibration", &view.calibration);
    else
        json_writer_null(&json, "calibration");
    write_links(&json, device, view.sweep);
    json_writer_end(&json);
    buffer_text(&body, "\n");
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

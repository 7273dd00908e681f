/* /v1/devices: the devices that experiments run on, and the constants that predicted times are made of. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/calibration_json.h"
#include "api/view.h"
#include "server/queue/queue_view.h"
#include "server/routes/wait.h"

static route_handler device_list_all, device_show, calibration_show, calibration_ask;

const struct route device_routes[] = {
    /* All of the list, and those that left it with work. */
    {"GET", "/v1/devices", "application/json", .handle = device_list_all},
    /* One device: its limits, its state, its reading at this moment, for which a driver may take half a
       second. */
    {"GET", "/v1/devices/{n}", "application/json", .flags = ROUTE_SLOW, .handle = device_show},
    /* The constants in use, and where they come from. */
    {"GET", "/v1/devices/{n}/calibration", "application/json", .handle = calibration_show},
    /* Asks for a new one. Its sweep is on the disk before the answer leaves. */
    {"POST", "/v1/devices/{n}/calibration", "application/json", .flags = ROUTE_ADMIN,
     .handle = calibration_ask},
    {0},
};

/* Writes a device's limits and state, within an array or as the whole; with `live` also its reading at
   this moment. */
static void device_write(struct json_writer *json, struct service *service, int index, bool live)
{
    static const char *const readiness[] = {[DEVICE_UNHEALTHY] = "unhealthy",
                                            [DEVICE_AWAY] = "away",
                                            [DEVICE_STARTING] = "starting",
                                            [DEVICE_READY] = "ready"};
    struct device_status status = {0};
    struct device_listing listing = {0};
    struct device_stats stats;
    struct device_set listed = devices_listed(service->devices);
    queue_view_device(service->queue, index, &stats);
    devices_get(service->devices, index, &status);
    devices_listing(service->devices, index, &listing);
    if (!status.known && !status.reason[0])
        snprintf(status.reason, sizeof status.reason, "its executor has not said hello yet");
    struct view_device view = {
        .index = index,
        .name = listing.name,
        .note = listing.note,
        .listed = device_set_has(&listed, index),
        .release = listing.release,
        .readiness = readiness[status.readiness],
        .build = status.executor_build,
        .facts = status.known ? &status.facts : NULL,
        .health = devices_health(&status),
        .reason = status.reason,
        .executor = status.executor,
        .context = status.context || status.own.pid[1],
        .runs = status.runs,
        .failures = status.failures,
        .hold = {stats.hold.held, stats.hold.owner, stats.hold.since_ms},
    };
    struct live_reading reading;
    if (live && status.known) {
        readings_get(service->readings, index, &status, &reading, &view.live_age_s);
        view.live = &reading;
    }
    view_device_write(json, NULL, &view);
}

static enum handled device_list_all(struct request *request)
{
    struct service *service = service_of(request);
    const struct device_set shown = service_shown_devices(service);
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "devices");
    for (int i = device_set_next(&shown, 0); i >= 0; i = device_set_next(&shown, i + 1))
        device_write(&json, service, i, false);
    return reply_body(request, 200, service_line(&json));
}

static enum handled device_show(struct request *request)
{
    enum handled handled;
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    int index = service_path_device(request, &handled);
    if (index < 0)
        return handled;
    device_write(&json, service_of(request), index, true);
    return reply_body(request, 200, service_line(&json));
}

/* ---- calibration ---- */

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
    devices_name(service->devices, device, name);
    calibrations_get(service->calibrations, device, &view);
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_int(&json, "device", device);
    json_writer_name(&json, "device_name", name);
    json_writer_string(&json, "state", states[view.state]);
    json_writer_name(&json, "reason", view.reason);
    json_writer_bool(&json, "automatic", view.automatic);
    json_writer_name(&json, "sweep", view.sweep);
    json_writer_name(&json, "failure", view.failure);
    if (view.given)
        calibration_json_write(&json, "calibration", &view.calibration);
    else
        json_writer_null(&json, "calibration");
    write_links(&json, device, view.sweep);
    return reply_body(request, status, service_line(&json));
}

static enum handled calibration_show(struct request *request)
{
    enum handled handled;
    int index = service_path_device(request, &handled);
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
    int index = service_path_device(request, &handled);
    if (index < 0)
        return handled;
    if (asking)
        return wait_commit_over(&asking->commit, &handled) ? calibration_reply(request, 202, index) : handled;
    if (!(asking = wait_commit_new(request, sizeof *asking, free, &handled)))
        return handled;
    asking->waiter.done = on_done;
    if (calibrations_ask(service->calibrations, index, &asking->waiter, &error) == 0)
        return HANDLED_WAIT;
    devices_get(service->devices, index, &status);
    return status.known ? reply_error(request, &error) : service_reply_unknown_device(request, index);
}

/* /v1/devices: the devices that experiments run on, and the constants that predicted times are made of. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/calibration_json.h"
#include "api/device_json.h"
#include "api/view.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"
#include "server/routes/queue_routes.h"
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

static void write_status(struct json_writer *json, const struct device_status *status)
{
    bool silent = !status->known && !status->reason[0];
    json_writer_begin_object(json, "status");
    json_writer_string(json, "health", devices_health(status));
    json_writer_name(json, "reason", silent ? "its executor has not said hello yet" : status->reason);
    json_writer_known_int(json, "executor_pid", status->executor, status->executor);
    json_writer_bool(json, "context", status->context || status->own.pid[1]);
    json_writer_int(json, "runs", status->runs);
    json_writer_int(json, "failures", status->failures);
    json_writer_end(json);
}

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
    char number[16];
    queue_view_device(service->queue, index, &stats);
    devices_get(service->devices, index, &status);
    devices_listing(service->devices, index, &listing);
    snprintf(number, sizeof number, "%d", index);
    if (!device_set_has(&listed, index) && !status.executor) {
        status.readiness = DEVICE_UNHEALTHY; /* no executor was started */
        snprintf(status.reason, sizeof status.reason, "nothing begins here before it is in the list again");
    }
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "index", index);
    json_writer_name(json, "device_name", listing.name);
    json_writer_name(json, "note", listing.note);
    json_writer_bool(json, "in_list", device_set_has(&listed, index));
    json_writer_string(json, "readiness", readiness[status.readiness]);
    json_writer_string(json, "idle", listing.release ? "release" : "context");
    json_writer_name(json, "executor_build", status.executor_build);
    if (status.known) {
        json_writer_bool(json, "counters", status.can_count && listing.counting);
        device_json_facts(json, &status.facts);
        device_json_peaks(json, &status.facts);
    }
    write_status(json, &status);
    queue_routes_hold(json, &stats.hold);
    if (live && status.known) {
        struct live_reading reading;
        double age_s;
        readings_get(service->readings, index, &status, &reading, &age_s);
        device_json_live(json, "live", &reading, age_s);
    }
    json_writer_begin_object(json, "links");
    view_link(json, "self", "/v1/devices/", number);
    json_writer_end(json);
    json_writer_end(json);
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
    json_writer_end(&json);
    struct queue_hold hold;
    queue_admin_get_hold(service->queue, -1, &hold);
    queue_routes_hold(&json, &hold);
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
    char own[32], number[16];
    snprintf(own, sizeof own, "%d/calibration", device);
    snprintf(number, sizeof number, "%d", device);
    json_writer_begin_object(json, "links");
    view_link(json, "self", "/v1/devices/", own);
    view_link(json, "device", "/v1/devices/", number);
    if (sweep[0])
        view_link(json, "sweep", "/v1/sweeps/", sweep);
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

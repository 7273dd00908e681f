#include "server/routes/answer_calibration.h"

#include "api/calibration_json.h"
#include "api/text.h"
#include "server/routes/choosing.h"

static void member_write(struct buffer *body, const char *name, const char *text)
{
    buffer_format(body, ",\"%s\":", name);
    text_string(body, text[0] ? text : NULL);
}

enum handled reply_calibration(struct request *request, unsigned status, int device)
{
    static const char *const states[] = {[CALIBRATIONS_NONE] = "none",
                                         [CALIBRATIONS_RUNNING] = "running",
                                         [CALIBRATIONS_MADE] = "made",
                                         [CALIBRATIONS_STALE] = "stale",
                                         [CALIBRATIONS_SHIPPED] = "shipped"};
    struct service *service = request_service(request);
    struct calibrations_view view;
    struct buffer body = {0};
    char name[DEVICE_NAME_BYTES];
    choosing_name(service->devices, device, name);
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

#include "server/routes/answers/answer_device.h"

#include "api/views.h"

void device_write(struct buffer *out, struct devices *devices, struct readings *readings, int index)
{
    struct device_status status = {0};
    devices_get(devices, index, &status);
    struct view_device view = {
        .index = index,
        .facts = status.known ? &status.facts : NULL,
        .healthy = status.healthy,
        .reason = status.reason,
        .executor = status.executor,
        .context = status.context || status.own.pid[1],
        .runs = status.runs,
        .failures = status.failures,
    };
    struct live_reading live;
    if (readings && status.known) {
        readings_get(readings, index, &status, &live, &view.live_age_s);
        view.live = &live;
    }
    if (view_device(out, &view) < 0)
        out->failed = true;
}

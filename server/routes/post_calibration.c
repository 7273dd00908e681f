/* POST /v1/devices/{n}/calibration: asks for a new one. Its sweep is on disk before the answer leaves. */
#include <stdatomic.h>
#include <stdlib.h>

#include "server/http/route.h"
#include "server/routes/answer_calibration.h"
#include "server/routes/answer_device.h"
#include "server/routes/choosing.h"

struct asking {
    struct calibration_waiter waiter; /* first: a waiter is cast to it */
    struct request *request;
    atomic_bool done;
    struct error failed;
};

static void on_done(struct calibration_waiter *waiter, const struct error *failed)
{
    struct asking *asking = (struct asking *)waiter;
    if (failed)
        asking->failed = *failed;
    struct request *request = asking->request;
    atomic_store(&asking->done, true);
    request_wake(request);
}

static enum handled handle(struct request *request)
{
    enum handled handled;
    struct asking *asking = request_state(request);
    int index = device_read(request, &handled);
    if (index < 0)
        return handled;
    if (asking && !atomic_load(&asking->done))
        return request_wait(request);
    if (asking)
        return asking->failed.kind == ERROR_NONE ? reply_calibration(request, 202, index)
                                                 : reply_error(request, &asking->failed);
    if (!(asking = calloc(1, sizeof *asking)))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to ask for a calibration");
    asking->waiter.done = on_done;
    asking->request = request;
    request_set_state(request, asking, free);
    struct error error = {0};
    if (calibrations_ask(request_service(request)->calibrations, index, &asking->waiter, &error) == 0)
        return request_wait(request);
    struct device_status status = {0};
    devices_get(request_service(request)->devices, index, &status);
    return status.known ? reply_error(request, &error) : reply_unknown(request, index);
}

const struct route route_post_calibration = {
    .method = "POST",
    .pattern = "/v1/devices/{n}/calibration",
    .type = "application/json",
    .flags = ROUTE_ADMIN,
    .handle = handle,
};

/* /v1/devices: the devices that experiments run on. */
#include "server/routes/device_reply.h"
#include "server/routes/route_table.h"
#include "server/routes/service.h"

static route_handler device_list_all, device_show;

const struct route device_routes[] = {
    /* All of the list, and those that left it with work. */
    {
        .method = "GET",
        .pattern = "/v1/devices",
        .type = "application/json",
        .handle = device_list_all,
    },
    /* One device: its limits, its state, its reading at this moment. */
    {
        .method = "GET",
        .pattern = "/v1/devices/{n}",
        .type = "application/json",
        .flags = ROUTE_SLOW, /* a driver may take half a second */
        .handle = device_show,
    },
    {0},
};

static enum handled device_list_all(struct request *request)
{
    struct service *service = service_of(request);
    const struct device_set shown = device_reply_shown(service);
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "devices");
    for (int i = device_set_next(&shown, 0); i >= 0; i = device_set_next(&shown, i + 1))
        device_reply_write(&json, service, i, false);
    json_writer_end(&json);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

static enum handled device_show(struct request *request)
{
    enum handled handled;
    struct buffer body = {0};
    int index = device_reply_find(request, &handled);
    if (index < 0)
        return handled;
    device_reply_write(&(struct json_writer){.out = &body}, service_of(request), index, true);
    buffer_text(&body, "\n");
    return reply_body(request, 200, &body);
}

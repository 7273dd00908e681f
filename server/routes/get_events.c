/* GET /v1/events: everything that happens. */
#include <string.h>

#include "server/events/subscription.h"
#include "server/http/route.h"
#include "server/auth/user.h"
#include "server/routes/answer_device.h"
#include "server/routes/choosing.h"
#include "server/routes/service.h"

static const char *const queries[] = {"owner", "device", NULL};

/* Fills in the filters; NULL, or what is wrong. */
static const char *filters_read(const struct request *request, struct subscription_config *config)
{
    const char *owner = request_query(request, "owner"), *device = request_query(request, "device");
    if (owner && strcmp(owner, "me") == 0)
        owner = request_user(request)->name;
    if (owner && owner[0] && !user_name_valid(owner))
        return "owner must be \"me\" or a name: " USER_NAME_RULE;
    config->owner = owner;
    if (device && (config->device = choosing_find(request_service(request)->devices, device)) < 0)
        return "device must be the number or the name of a device of this service";
    return NULL;
}

static enum handled handle(struct request *request)
{
    struct service *service = request_service(request);
    struct subscription_config config = {.what = SUBSCRIBE_ALL, .device = -1};
    const char *wrong = filters_read(request, &config);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    struct subscription *subscription =
        subscription_new(service->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to follow events");
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        buffer_text(&snapshot, "{\"queue\":");
        queue_write(&snapshot, service, request_user(request)->name);
        buffer_text(&snapshot, "}");
        subscription_begin(subscription, &snapshot);
    }
    return reply_live(request, subscription_more, subscription, subscription_free);
}

const struct route route_get_events = {
    .method = "GET",
    .pattern = "/v1/events",
    .type = "text/event-stream",
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};

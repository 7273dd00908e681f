/* GET /v1/sweeps/{id}/events: how a sweep gets on, until all of it has ended. */
#include "server/events/subscription.h"
#include "server/http/route.h"
#include "server/routes/answer_sweep.h"
#include "server/routes/service.h"

static void sweep_write(struct service *service, const struct sweep_row *row, struct buffer *out)
{
    struct view_sweep view;
    view_of_sweep(service, row, &view);
    view_sweep(out, &view);
    buffer_text(out, "}");
}

/* How many of its points have ended; takes a millisecond for 10,000. */
static void points_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct sweep_row row;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    sweep_write(service, &row, out);
    sweep_row_clear(&row);
}

static void end_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct sweep_row row;
    struct view_sweep view;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    view_of_sweep(service, &row, &view);
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\"}", id, view.state);
    sweep_row_clear(&row);
}

static enum handled follow(struct request *request, struct subscription *subscription)
{
    struct service *service = request_service(request);
    struct sweep_row row;
    enum handled handled;
    if (sweep_find(request, request_param(request), &row, &handled) < 0) {
        subscription_free(subscription);
        return handled;
    }
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        buffer_text(&snapshot, "{\"sweep\":");
        sweep_write(service, &row, &snapshot);
        buffer_text(&snapshot, "}");
        subscription_begin(subscription, &snapshot);
    }
    if (sweep_row_ended(&row))
        subscription_end(subscription, store_events_last(service->store));
    sweep_row_clear(&row);
    return reply_live(request, subscription_more, subscription, subscription_free);
}

static enum handled handle(struct request *request)
{
    const char *id = request_param(request);
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no sweep %s", id);
    const struct subscription_config config = {
        .what = SUBSCRIBE_SWEEP,
        .id = id,
        .write_state = points_write,
        .state_kind = "points",
        .write_end = end_write,
        .arg = request_service(request),
    };
    struct subscription *subscription =
        subscription_new(request_service(request)->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to follow events");
    return follow(request, subscription);
}

const struct route route_get_sweep_events = {
    .method = "GET",
    .pattern = "/v1/sweeps/{id}/events",
    .type = "text/event-stream",
    .flags = ROUTE_SLOW,
    .handle = handle,
};

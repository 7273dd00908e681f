/* GET /v1/experiments/{id}/events: what happens to one experiment, until it has ended. */
#include "api/text.h"
#include "base/clock.h"
#include "server/events/subscription.h"
#include "server/http/route.h"
#include "server/queue/queue_view.h"
#include "server/routes/answer_experiment.h"
#include "server/routes/service.h"

/* Where it waits or runs. */
static void place_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct queue_position place;
    if (queue_view_position(service->queue, id, &place) < 0)
        return;
    double eta_s = place.ahead_s >= 0 && place.own_s >= 0 ? place.ahead_s + place.own_s : -1;
    buffer_format(out, "{\"id\":\"%s\",\"position\":%d,\"eta_seconds\":", id, place.position);
    if (eta_s >= 0)
        buffer_format(out, "%.3f", eta_s);
    else
        buffer_text(out, "null");
    buffer_text(out, place.paused ? ",\"paused\":true}" : "}");
}

static void end_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct job *job;
    struct error error = {0};
    if (store_get(service->store, id, &job, &error) < 0)
        return;
    buffer_format(out, "{\"id\":\"%s\",\"state\":\"%s\"}", id, job_state_name(job->state));
    job_free(job);
}

/* As its last event tells it. */
static void snapshot_write(struct buffer *out, const struct job *job)
{
    char at[CLOCK_TEXT_BYTES];
    bool ended = job_state_ended(job->state);
    clock_text(ended                       ? job->finished_ms
               : job->state == JOB_RUNNING ? job->started_ms
                                           : job->submitted_ms,
               at);
    buffer_format(out, "{\"experiment\":{\"id\":\"%s\",\"sweep\":", job->id);
    text_string(out, job->sweep[0] ? job->sweep : NULL);
    buffer_format(out, ",\"state\":\"%s\",\"attempt\":%d,\"device\":", job_state_name(job->state),
                  job->attempt);
    if (job->device < 0)
        buffer_text(out, "null");
    else
        text_integer(out, job->device);
    buffer_text(out, ",\"kernel\":");
    text_string(out, job->kernel);
    buffer_text(out, ",\"owner\":");
    text_string(out, job->owner[0] ? job->owner : NULL);
    buffer_format(out, ",\"at\":\"%s\"", at);
    if (job->failure.kind != ERROR_NONE)
        buffer_format(out, ",\"failure\":\"%s\"", error_kind_name(job->failure.kind));
    buffer_text(out, "}}");
}

static enum handled follow(struct request *request, struct subscription *subscription)
{
    struct store *store = request_service(request)->store;
    const char *id = request_param(request);
    struct job *job;
    struct error error = {0};
    if (store_get(store, id, &job, &error) < 0) {
        subscription_free(subscription);
        if (error.kind == ERROR_NOT_FOUND)
            return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
        return reply_error(request, &error);
    }
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        snapshot_write(&snapshot, job);
        subscription_begin(subscription, &snapshot);
    }
    if (job_state_ended(job->state))
        subscription_end(subscription, store_events_last(store));
    job_free(job);
    return reply_live(request, subscription_more, subscription, subscription_free);
}

static enum handled handle(struct request *request)
{
    const char *id = request_param(request);
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
    /* Before its state is read, so that nothing in between is missed. */
    const struct subscription_config config = {
        .what = SUBSCRIBE_EXPERIMENT,
        .id = id,
        .write_state = place_write,
        .state_kind = "place",
        .write_end = end_write,
        .arg = request_service(request),
    };
    struct subscription *subscription =
        subscription_new(request_service(request)->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to follow events");
    return follow(request, subscription);
}

const struct route route_get_experiment_events = {
    .method = "GET",
    .pattern = "/v1/experiments/{id}/events",
    .type = "text/event-stream",
    .flags = ROUTE_SLOW,
    .handle = handle,
};

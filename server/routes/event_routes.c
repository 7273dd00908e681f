/* Streams of server-sent events: what happens to everything, to one experiment or to one sweep. */
#include <math.h>
#include <string.h>

#include "server/events/subscription.h"
#include "server/queue/queue_view.h"
#include "server/routes/query.h"
#include "server/routes/queue_routes.h"
#include "server/routes/resource.h"
#include "server/routes/sweep_reply.h"

static route_handler follow_all, follow_one;

static const char *const all_queries[] = {"owner", "device", NULL};

const struct route event_routes[] = {
    /* Everything that happens. */
    {"GET", "/v1/events", "text/event-stream", .queries = all_queries, .flags = ROUTE_SLOW,
     .handle = follow_all},
    /* What happens to one experiment, until it has ended. */
    {"GET", "/v1/experiments/{id}/events", "text/event-stream", .flags = ROUTE_SLOW, .handle = follow_one},
    /* The progress of a sweep, until all of it has ended. */
    {"GET", "/v1/sweeps/{id}/events", "text/event-stream", .flags = ROUTE_SLOW, .handle = follow_one},
    {0},
};

/* Reads the filters; NULL, or what is wrong. */
static const char *filters_read(const struct request *request, struct subscription_config *config)
{
    const char *owner = query_person(request, "owner"), *device = request_query(request, "device");
    if (owner && owner[0] && !user_name_or_nobody(owner)) /* empty: without a token */
        return "owner must be \"me\", a name, or " OWNER_NOBODY ": " USER_NAME_RULE;
    config->owner = owner;
    if (device && (config->device = service_find_device(service_of(request)->devices, device)) < 0)
        return "device must be the number or the name of a device of this service";
    return NULL;
}

static enum handled follow_all(struct request *request)
{
    struct service *service = service_of(request);
    struct subscription_config config = {.what = SUBSCRIBE_ALL, .device = -1};
    const char *wrong = filters_read(request, &config);
    if (wrong)
        return service_reply_wrong(request, wrong);
    struct subscription *subscription =
        subscription_new(service->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return service_reply_no_memory(request, "to follow events");
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        struct json_writer json = {.out = &snapshot};
        json_writer_begin_object(&json, NULL);
        queue_routes_write(&json, "queue", service, request_user(request)->name, -1);
        json_writer_end(&json);
        subscription_begin(subscription, &snapshot);
    }
    return reply_live(request, subscription_more, subscription, subscription_free);
}

/* Its position in the queue, 0 while it runs. */
static void place_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct queue_position place;
    struct json_writer json = {.out = out};
    if (queue_view_position(service->queue, id, &place) < 0)
        return;
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "id", id);
    json_writer_int(&json, "position", place.position);
    bool known = place.ahead_s >= 0 && place.own_s >= 0;
    json_writer_rounded(&json, "eta_seconds", known ? place.ahead_s + place.own_s : NAN); /* NaN: null */
    if (place.paused)
        json_writer_bool(&json, "paused", true);
    json_writer_end(&json);
}

static void end_write(struct buffer *out, const char *id, const char *state)
{
    struct json_writer json = {.out = out};
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "id", id);
    json_writer_string(&json, "state", state);
    json_writer_end(&json);
}

static void experiment_end_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct job *job;
    struct error error = {0};
    if (store_get(service->store, id, &job, &error) < 0)
        return;
    end_write(out, id, job_state_name(job->state));
    job_free(job);
}

/* How many of its points have ended. Takes a millisecond for 10,000 points. */
static void points_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct json_writer json = {.out = out};
    struct sweep_row row;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    sweep_reply_open(&json, NULL, service, &row, false);
    json_writer_end(&json);
    sweep_row_clear(&row);
}

static void sweep_end_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct sweep_row row;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    end_write(out, id, sweep_state_name(sweep_row_state(&row)));
    sweep_row_clear(&row);
}

/* The same members as the experiment's last event; the object stays open. */
static void experiment_open(struct json_writer *json, const struct job *job)
{
    int64_t began_ms = job->state == JOB_RUNNING ? job->started_ms : job->submitted_ms;
    json_writer_begin_object(json, "experiment");
    json_writer_string(json, "id", job->id);
    json_writer_name(json, "sweep", job->sweep);
    json_writer_string(json, "state", job_state_name(job->state));
    json_writer_int(json, "attempt", job->attempt);
    json_writer_known_int(json, "device", job->device >= 0, job->device);
    json_writer_string(json, "kernel", job->kernel);
    json_writer_name(json, "owner", job->owner);
    json_writer_time(json, "at", job_state_ended(job->state) ? job->finished_ms : began_ms);
    if (job->failure.kind != ERROR_NONE)
        json_writer_string(json, "failure", error_kind_name(job->failure.kind));
}

static enum handled follow_one(struct request *request)
{
    struct service *service = service_of(request);
    bool sweep = resource_is_sweep(request);
    struct stored_resource found;
    enum handled handled;
    const struct subscription_config config = {
        .what = sweep ? SUBSCRIBE_SWEEP : SUBSCRIBE_EXPERIMENT,
        .id = request_param(request),
        .write_state = sweep ? points_write : place_write,
        .state_kind = sweep ? "points" : "place",
        .write_end = sweep ? sweep_end_write : experiment_end_write,
        .arg = service,
    };
    /* Subscribes before the state is read, so that nothing in between is missed. */
    struct subscription *subscription =
        subscription_new(service->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return service_reply_no_memory(request, "to follow events");
    if (resource_read(request, &found, &handled) < 0) {
        subscription_free(subscription);
        return handled;
    }
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        struct json_writer json = {.out = &snapshot};
        json_writer_begin_object(&json, NULL);
        if (sweep)
            sweep_reply_open(&json, "sweep", service, &found.row, false);
        else
            experiment_open(&json, found.job);
        json_writer_end(&json);
        json_writer_end(&json);
        subscription_begin(subscription, &snapshot);
    }
    if (found.ended)
        subscription_end(subscription, store_events_last(service->store));
    resource_clear(&found);
    return reply_live(request, subscription_more, subscription, subscription_free);
}

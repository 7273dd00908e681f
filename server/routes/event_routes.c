/* Streams of server-sent events: what happens to everything, to one experiment or to one sweep. */
#include <string.h>

#include "api/sweep_view.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "server/auth/users.h"
#include "server/events/subscription.h"
#include "server/queue/queue_view.h"
#include "server/routes/device_reply.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/sweep_reply.h"
#include "server/routes/service.h"
#include "server/routes/route_table.h"

static route_handler follow_all, follow_experiment, follow_sweep;

static const char *const all_queries[] = {"owner", "device", NULL};

const struct route event_routes[] = {
    /* Everything that happens. */
    {
        .method = "GET",
        .pattern = "/v1/events",
        .type = "text/event-stream",
        .queries = all_queries,
        .flags = ROUTE_SLOW,
        .handle = follow_all,
    },
    /* What happens to one experiment, until it has ended. */
    {
        .method = "GET",
        .pattern = "/v1/experiments/{id}/events",
        .type = "text/event-stream",
        .flags = ROUTE_SLOW,
        .handle = follow_experiment,
    },
    /* The progress of a sweep, until all of it has ended. */
    {
        .method = "GET",
        .pattern = "/v1/sweeps/{id}/events",
        .type = "text/event-stream",
        .flags = ROUTE_SLOW,
        .handle = follow_sweep,
    },
    {0},
};

/* Reads the filters; NULL, or what is wrong. */
static const char *filters_read(const struct request *request, struct subscription_config *config)
{
    const char *owner = request_query(request, "owner"), *device = request_query(request, "device");
    if (owner && strcmp(owner, "me") == 0)
        owner = request_user(request)->name;
    if (owner && owner[0] && !user_name_valid(owner))
        return "owner must be \"me\" or a name: " USER_NAME_RULE;
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
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    struct subscription *subscription =
        subscription_new(service->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return service_reply_no_memory(request, "to follow events");
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        struct json_writer json = {.out = &snapshot};
        json_writer_begin_object(&json, NULL);
        device_reply_write_queues(&json, "queue", service, request_user(request)->name);
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
    if (place.ahead_s >= 0 && place.own_s >= 0)
        json_writer_rounded(&json, "eta_seconds", place.ahead_s + place.own_s);
    else
        json_writer_null(&json, "eta_seconds");
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

/* The same members as the experiment's last event. */
static void experiment_snapshot_write(struct buffer *out, const struct job *job)
{
    char at[CLOCK_TEXT_BYTES];
    struct json_writer json = {.out = out};
    bool ended = job_state_ended(job->state);
    clock_text(ended                       ? job->finished_ms
               : job->state == JOB_RUNNING ? job->started_ms
                                           : job->submitted_ms,
               at);
    json_writer_begin_object(&json, NULL);
    json_writer_begin_object(&json, "experiment");
    json_writer_string(&json, "id", job->id);
    json_writer_string(&json, "sweep", job->sweep[0] ? job->sweep : NULL);
    json_writer_string(&json, "state", job_state_name(job->state));
    json_writer_int(&json, "attempt", job->attempt);
    if (job->device < 0)
        json_writer_null(&json, "device");
    else
        json_writer_int(&json, "device", job->device);
    json_writer_string(&json, "kernel", job->kernel);
    json_writer_string(&json, "owner", job->owner[0] ? job->owner : NULL);
    json_writer_string(&json, "at", at);
    if (job->failure.kind != ERROR_NONE)
        json_writer_string(&json, "failure", error_kind_name(job->failure.kind));
    json_writer_end(&json);
    json_writer_end(&json);
}

static enum handled experiment_begin(struct request *request, struct subscription *subscription)
{
    struct store *store = service_of(request)->store;
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
        experiment_snapshot_write(&snapshot, job);
        subscription_begin(subscription, &snapshot);
    }
    if (job_state_ended(job->state))
        subscription_end(subscription, store_events_last(store));
    job_free(job);
    return reply_live(request, subscription_more, subscription, subscription_free);
}

static enum handled follow_experiment(struct request *request)
{
    const char *id = request_param(request);
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
    /* Subscribes before the state is read, so that nothing in between is missed. */
    const struct subscription_config config = {
        .what = SUBSCRIBE_EXPERIMENT,
        .id = id,
        .write_state = place_write,
        .state_kind = "place",
        .write_end = experiment_end_write,
        .arg = service_of(request),
    };
    struct subscription *subscription =
        subscription_new(service_of(request)->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to experiment_begin events");
    return experiment_begin(request, subscription);
}

static void sweep_write(struct json_writer *json, const char *key, struct service *service,
                        const struct sweep_row *row)
{
    struct view_sweep view;
    sweep_reply_init(service, row, &view);
    sweep_view_open(json, key, &view);
    json_writer_end(json);
}

/* How many of its points have ended. Takes a millisecond for 10,000 points. */
static void points_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct sweep_row row;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    sweep_write(&(struct json_writer){.out = out}, NULL, service, &row);
    sweep_row_clear(&row);
}

static void sweep_end_write(void *arg, const char *id, struct buffer *out)
{
    struct service *service = arg;
    struct sweep_row row;
    struct error error = {0};
    if (store_sweep(service->store, id, &row, &error) < 0)
        return;
    end_write(out, id, sweep_reply_state(&row));
    sweep_row_clear(&row);
}

static enum handled sweep_begin(struct request *request, struct subscription *subscription)
{
    struct service *service = service_of(request);
    struct sweep_row row;
    enum handled handled;
    if (sweep_reply_read(request, request_param(request), &row, &handled) < 0) {
        subscription_free(subscription);
        return handled;
    }
    if (subscription_fresh(subscription)) {
        struct buffer snapshot = {0};
        struct json_writer json = {.out = &snapshot};
        json_writer_begin_object(&json, NULL);
        sweep_write(&json, "sweep", service, &row);
        json_writer_end(&json);
        subscription_begin(subscription, &snapshot);
    }
    if (sweep_row_ended(&row))
        subscription_end(subscription, store_events_last(service->store));
    sweep_row_clear(&row);
    return reply_live(request, subscription_more, subscription, subscription_free);
}

static enum handled follow_sweep(struct request *request)
{
    const char *id = request_param(request);
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no sweep %s", id);
    const struct subscription_config config = {
        .what = SUBSCRIBE_SWEEP,
        .id = id,
        .write_state = points_write,
        .state_kind = "points",
        .write_end = sweep_end_write,
        .arg = service_of(request),
    };
    struct subscription *subscription =
        subscription_new(service_of(request)->feed, &config, request_header(request, "Last-Event-ID"));
    if (!subscription)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to sweep_begin events");
    return sweep_begin(request, subscription);
}

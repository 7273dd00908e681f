/* /v1/experiments: submitting, listing, showing and ending experiments, and their samples. */
#include <stdio.h>
#include <string.h>

#include "api/csv.h"
#include "api/figures.h"
#include "api/samples.h"
#include "server/routes/resource.h"
#include "server/routes/submission_steps.h"

static route_handler samples_show, columns_show;

static const char *const list_queries[] = {"kernel",    "state",       "device", "label", "sweep",
                                           "owner",     "device_uuid", "since",  "until", "columns",
                                           "page_size", "page_token",  NULL};
static const char *const show_queries[] = {"wait", NULL};

const struct route experiment_routes[] = {
    /* Answers once the experiment is on the disk or, with "Prefer: wait=N", has ended. With "repeat" it is
       a sweep. */
    {"POST", "/v1/experiments", "application/json", .flags = ROUTE_JSON,
     .handle = submission_steps_experiment},
    /* Newest first, a page at a time; as a table all of them, unless a page is asked for. */
    {"GET", "/v1/experiments", "application/json", .other = CSV_MEDIA_TYPE, .queries = list_queries,
     .flags = ROUTE_SLOW, .handle = resource_list},
    /* Its state or its result; with wait=N once it has ended, or after N seconds. */
    {"GET", "/v1/experiments/{id}", "application/json", .queries = show_queries, .flags = ROUTE_CACHED,
     .handle = resource_show},
    /* Cancels: at once while it is queued; one that runs is stopped by ending its executor, which takes a
       moment. */
    {"DELETE", "/v1/experiments/{id}", "application/json", .queries = resource_delete_queries,
     .handle = resource_delete},
    /* The raw samples of one that was submitted with "keep_samples". */
    {"GET", "/v1/experiments/{id}/samples", "application/json", .other = CSV_MEDIA_TYPE, .flags = ROUTE_SLOW,
     .handle = samples_show},
    /* The same as a table, for clients that cannot send an Accept header. */
    {"GET", "/v1/experiments/{id}/samples.csv", CSV_MEDIA_TYPE, .flags = ROUTE_SLOW, .handle = samples_show},
    /* The columns that tables of experiments have. */
    {"GET", "/v1/columns", "application/json", .flags = ROUTE_CACHED | ROUTE_SLOW, .handle = columns_show},
    {0},
};

static enum handled samples_reply(struct request *request, const struct job *job,
                                  const struct samples *samples)
{
    struct buffer body = {0};
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    if (!job_state_ended(job->state))
        return reply_problem(request, PROBLEM_NOT_FOUND, "experiment %s has not ended: it has no samples yet",
                             job->id);
    if (!samples->cold.size || !job->result)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "the samples of experiment %s were not kept: ask for them with \"measure\": "
                             "{\"keep_samples\": true} when you submit it",
                             job->id);
    if ((table ? samples_table(&body, samples) : samples_view(&body, job->id, job->result, samples)) < 0) {
        struct error error = {0};
        buffer_free(&body);
        error_set(&error, ERROR_STORE, "the samples of experiment %s cannot be read", job->id);
        return reply_error(request, &error);
    }
    char name[64];
    snprintf(name, sizeof name, "%s-samples%s", job->id, table ? "-csv" : "");
    return reply_immutable(request, &body, name);
}

static enum handled samples_show(struct request *request)
{
    struct stored_resource found;
    struct samples samples = {0};
    struct error error = {0};
    enum handled handled;
    if (resource_read(request, &found, &handled) < 0)
        return handled;
    if (store_samples(service_of(request)->store, found.job->id, &samples, &error) < 0)
        handled = reply_error(request, &error);
    else
        handled = samples_reply(request, found.job, &samples);
    samples_free(&samples);
    resource_clear(&found);
    return handled;
}

static enum handled columns_show(struct request *request)
{
    struct buffer body = {0};
    figures_json(&body);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "columns");
}

#include "server/routes/answer_samples.h"

#include <stdio.h>
#include <string.h>

#include "api/csv.h"
#include "api/samples.h"
#include "server/routes/service.h"

static enum handled reply_missing(struct request *request, const struct job *job)
{
    if (!job_state_ended(job->state))
        return reply_problem(request, PROBLEM_NOT_FOUND, "experiment %s has not ended: it has no samples yet",
                             job->id);
    return reply_problem(request, PROBLEM_NOT_FOUND,
                         "the samples of experiment %s were not kept: ask for them with \"measure\": "
                         "{\"keep_samples\": true} when you submit it",
                         job->id);
}

static enum handled reply_found(struct request *request, const struct job *job, const struct samples *samples)
{
    struct buffer body = {0};
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    if (!samples->cold.size || !job->result)
        return reply_missing(request, job);
    if ((table ? samples_table(&body, samples) : samples_view(&body, job->id, job->result, samples)) < 0) {
        buffer_free(&body);
        struct error error = {0};
        error_set(&error, ERROR_STORE, "the samples of experiment %s cannot be read", job->id);
        return reply_error(request, &error);
    }
    char name[64];
    snprintf(name, sizeof name, "%s-samples%s", job->id, table ? "-csv" : "");
    return reply_immutable(request, &body, name);
}

enum handled reply_samples(struct request *request)
{
    const char *id = request_param(request);
    struct store *store = request_service(request)->store;
    struct job *job = NULL;
    struct samples samples = {0};
    struct error error = {0};
    enum handled handled;
    if (!id_valid(id))
        return reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id);
    if (store_get(store, id, &job, &error) < 0)
        return error.kind == ERROR_NOT_FOUND
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id)
                   : reply_error(request, &error);
    if (store_samples(store, id, &samples, &error) < 0)
        handled = reply_error(request, &error);
    else
        handled = reply_found(request, job, &samples);
    samples_free(&samples);
    job_free(job);
    return handled;
}

/* POST /v1/experiments: read, checked against kernel and device, queued; answered once it is on disk, or,
   with "Prefer: wait=N", once it has ended. The body is parsed here once and does not live on as a tree. */
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/experiment_json.h"
#include "api/experiment_text.h"
#include "api/sweep.h"
#include "server/http/route.h"
#include "server/auth/user.h"
#include "server/queue/queue_submit.h"
#include "server/routes/answer_experiment.h"
#include "server/routes/answer_forbidden.h"
#include "server/routes/sweeping.h"
#include "server/routes/await.h"
#include "server/routes/choosing.h"
#include "server/routes/idempotency.h"
#include "server/routes/service.h"

extern const struct route route_post_sweeps;

struct submitting {
    struct request *request;
    struct submitted outcome;
    atomic_bool committed; /* outcome is there */
    const char *kernel;
    int device, wait_s;
    double timeout_s;
    char fingerprint[FINGERPRINT_BYTES];
    struct await *await;
};

static void submitting_free(void *arg)
{
    struct submitting *submitting = arg;
    await_free(submitting->await);
    free(submitting);
}

static void on_committed(void *arg, const struct submitted *outcome)
{
    struct submitting *submitting = arg;
    submitting->outcome = *outcome;
    if (outcome->outcome != SUBMITTED_NEW)
        request_unchanged(submitting->request);
    atomic_store(&submitting->committed, true);
    request_wake(submitting->request);
}

/* ---- reading ---- */

/* The checked experiment of a request, and where it may run. 0, or -1 with the reply given. What is wrong on any device is
   said before a device is known. */
static int experiment_read(struct request *request, const json_t *object, struct experiment *experiment,
                           struct device_set *devices, enum handled *handled)
{
    struct service *service = request_service(request);
    struct problems problems = {0};
    enum device_fit fit = DEVICE_REFUSED;
    struct choosing *choosing = choosing_new(service->devices);
    if (!choosing || choosing_default(service, (json_t *)object) < 0) {
        free(choosing);
        *handled = reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for another experiment");
        return -1;
    }
    experiment_json_read(experiment, object, &problems);
    if (experiment->kernel) /* then every field holds something, and all that is wrong is told at once */
        fit = device_choice_resolve(experiment, &choosing->offers, devices, &problems);
    free(choosing);
    if (problems.count) {
        sweep_explain(experiment->kernel, object, &problems);
        *handled = reply_fields(request, &problems);
        return -1;
    }
    if (fit == DEVICE_UNKNOWN) {
        *handled = reply_unknown(request, device_set_next(devices, 0));
        return -1;
    }
    return forbid_override(request, experiment->priority, handled) ? -1 : 0;
}

/* ---- submitting ---- */

static enum handled reply_refusal(struct request *request, const struct submitting *submitting,
                                  const struct error *error)
{
    if (error->kind == ERROR_FULL)
        reply_retry_after(request,
                          queue_submit_wait_s(request_service(request)->queue, request_user(request)->name, 1,
                                              submitting->timeout_s));
    return reply_error(request, error);
}

static enum handled submit(struct request *request, const struct experiment *experiment,
                           const struct device_set *devices, const char *text)
{
    struct submitting *submitting = calloc(1, sizeof *submitting);
    if (!submitting)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for another experiment");
    submitting->request = request;
    submitting->kernel = experiment->kernel->name;
    bool open = device_choice_open(&experiment->device);
    submitting->device = open ? -1 : device_set_next(devices, 0);
    submitting->wait_s = request_prefer_wait(request);
    submitting->timeout_s = experiment->timeout_s;
    request_set_state(request, submitting, submitting_free);
    const char *key = request_header(request, "Idempotency-Key");
    if (key)
        fingerprint_make(text, submitting->fingerprint);
    struct sweep_experiment one = {
        .kernel = submitting->kernel,
        .devices = *devices,
        .open = open,
        .priority = (int)experiment->priority,
        .timeout_s = experiment->timeout_s,
        .request = text,
    };
    struct sweep alone = {.experiments = &one, .experiment_count = 1};
    struct queue_submission submission = {
        .sweep = &alone,
        .owner = request_user(request)->name,
        .idempotency_key = key,
        .fingerprint = submitting->fingerprint,
    };
    struct service *service = request_service(request);
    struct error error = {0};
    if (queue_submit(service->queue, &submission, on_committed, submitting, &error) == 0)
        return request_wait(request);
    return reply_refusal(request, submitting, &error);
}

static enum handled begin(struct request *request)
{
    enum handled handled = HANDLED_FAILED;
    struct experiment experiment;
    struct device_set devices;
    struct buffer text = {0};
    bool wrong_key;
    key_read(request, &wrong_key, &handled);
    if (wrong_key)
        return handled;
    size_t length;
    char detail[JSON_PARTS_DETAIL_BYTES];
    const char *body = request_body(request, &length);
    json_t *object = json_parts_body(body, length, "{\"kernel\": \"...\"}", detail);
    if (!object)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", detail);
    if (json_object_get(object, "repeat")) {
        struct problems problems = {0};
        if (sweep_repeat(object, &problems) > 1 || problems.count) {
            json_decref(object);
            request_pass(request, &route_post_sweeps);
            return sweeping_begin(request, true);
        }
        json_object_del(object, "repeat");
    }
    if (experiment_read(request, object, &experiment, &devices, &handled) < 0)
        goto out;
    if (experiment_write(&text, &experiment, object) == 0)
        handled = submit(request, &experiment, &devices, text.data);
    else
        handled = reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for another experiment");
out:
    buffer_free(&text);
    json_decref(object);
    return handled;
}

/* ---- answering ---- */

static void location_set(struct request *request, const char *id)
{
    char location[64];
    snprintf(location, sizeof location, "/v1/experiments/%s", id);
    reply_header(request, "Location", location);
}

/* Ended: the result, when it was waited for. Else where it stands. */
static enum handled answer(struct request *request, struct submitting *submitting)
{
    struct service *service = request_service(request);
    const char *id = submitting->outcome.id;
    struct view_experiment view = {.id = id, .kernel = submitting->kernel, .device = submitting->device};
    struct job *job = NULL;
    struct error error = {0};
    bool running, waits = place_find(service, &view, &running);
    view.state = job_state_name(running ? JOB_RUNNING : JOB_QUEUED);
    if (!waits || submitting->wait_s) {
        if (store_get(service->store, id, &job, &error) == 0)
            view_of_job(service, job, &view);
        else if (error.kind == ERROR_NOT_FOUND)
            return reply_error(request, &error);
        if (job && !view.ended)
            place_find(service, &view, &running);
    }
    enum handled handled;
    /* It is committed: a read that fails now changes nothing about that. What came before may be at any state by now. */
    bool unread = error.kind != ERROR_NONE;
    if (unread && !waits && submitting->outcome.outcome == SUBMITTED_AGAIN)
        return reply_key_unread(request, id, &error);
    if (submitting->wait_s && !view.ended && !unread && !request_over(request)) {
        handled = request_wait_until(request, submitting->wait_s);
    } else if (submitting->wait_s && view.ended) {
        location_set(request, id);
        reply_preference_applied(request);
        handled = reply_experiment(request, &view);
    } else {
        location_set(request, id);
        handled = reply_accepted(request, 202, &view);
    }
    job_free(job);
    return handled;
}

static enum handled handle(struct request *request)
{
    struct submitting *submitting = request_state(request);
    if (!submitting)
        return begin(request);
    if (!atomic_load(&submitting->committed))
        return request_wait(request);
    const struct submitted *outcome = &submitting->outcome;
    if (outcome->outcome == SUBMITTED_FAILED)
        return reply_refusal(request, submitting, &outcome->error);
    if (outcome->outcome == SUBMITTED_MISMATCH)
        return reply_key_reused(request);
    request_made(request, outcome->id);
    /* Before the state is read, so that an end in between is not missed. */
    if (submitting->wait_s && !submitting->await && !(submitting->await = await_new(request, outcome->id)))
        submitting->wait_s = 0;
    return answer(request, submitting);
}

const struct route route_post_experiments = {
    .method = "POST",
    .pattern = "/v1/experiments",
    .type = "application/json",
    .flags = ROUTE_JSON,
    .handle = handle,
};

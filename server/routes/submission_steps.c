/* Submitting over HTTP in three steps: read the request, decide, queue and answer. */
#include "server/routes/submission_steps.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "base/clock.h"
#include "server/devices/devices.h"
#include "server/queue/queue_limits.h"
#include "server/queue/queue_submit.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/query.h"
#include "server/routes/stored_source.h"
#include "server/routes/submission_plan.h"
#include "server/routes/sweep_reply.h"
#include "server/routes/wait.h"

enum { PLANNING_MAX = 64 }; /* sweeps that are expanded or wait for that at a time */

static atomic_int planning;

/* From the first call of the handler to the reply. */
struct submission_state {
    struct commit_wait commit;
    atomic_bool planned; /* `plan` is there, or why there is none: plan_status, fault */
    int plan_status;
    struct submission_fault fault;
    bool submitted;
    struct service *service;
    struct submission_plan plan;
    struct submission_request read; /* its texts are the request's */
    struct submitted outcome;       /* set when commit.done */
    struct end_wait *end;           /* NULL: nothing is waited for, or not yet */
};

static void state_free(void *arg)
{
    struct submission_state *state = arg;
    wait_end_free(state->end);
    submission_plan_clear(&state->plan);
    free(state);
}

/* ---- read ---- */

/* NULL, or what is wrong with the header or the query. */
static const char *read_request(struct request *request, bool sweep, struct submission_state *state)
{
    struct request_content content;
    struct submission_request *read = &state->read;
    static_assert(SUBMISSION_KEY_MAX == 255, "the sentence names it");
    request_read(request, &content);
    state->service = content.context;
    *read = (struct submission_request){
        .body = content.body,
        .length = content.length,
        .sweep = sweep,
        .key = content.key,
        .user = content.user,
        .wait_s = content.wait_s,
        .page = {.size = QUERY_PAGE_SIZE}, /* what is shown of an experiment with "repeat" */
    };
    if (content.keys_differ)
        return "one Idempotency-Key is wanted, there are more";
    if (read->key && (!read->key[0] || strlen(read->key) > SUBMISSION_KEY_MAX))
        return "an Idempotency-Key has 1 to 255 characters";
    if (!sweep)
        return NULL;
    return query_sweep_page(request, strcmp(request_type(request), CSV_MEDIA_TYPE) == 0, &read->page);
}

/* ---- decide ---- */

static enum handled reply_fault(struct request *request, const struct submission_fault *fault)
{
    switch (fault->kind) {
    case SUBMISSION_MALFORMED:
        return service_reply_wrong(request, fault->detail);
    case SUBMISSION_INVALID:
        return reply_fields(request, &fault->problems);
    case SUBMISSION_FORBIDDEN:
        return reply_fields_as(request, PROBLEM_FORBIDDEN, &fault->problems, NULL);
    case SUBMISSION_UNKNOWN:
        return service_reply_unknown_device(request, fault->device);
    case SUBMISSION_FAILED:
        return reply_error(request, &fault->error);
    case SUBMISSION_NO_MEMORY:
        break;
    }
    return service_reply_no_memory(request, "for another submission");
}

static struct source_kernel *on_find(void *arg, json_t *object, struct problems *problems,
                                     struct error *error)
{
    const struct submission_state *state = arg;
    return stored_source_take(state->service->sources, state->service->store, state->read.user, object,
                              problems, error);
}

static int on_compile(void *arg, const struct source_kernel *kernel, struct problems *problems,
                      struct error *error)
{
    const struct submission_state *state = arg;
    return stored_source_compile(state->service->sources, kernel, problems, error);
}

static void decide(struct submission_state *state)
{
    const struct service *service = state->service;
    const struct submission_sources sources = {on_find, on_compile, state};
    state->read.sources = service->sources ? &sources : NULL;
    struct device_snapshot *snapshot = device_snapshot_new(service->devices);
    state->plan_status = -1;
    state->fault.kind = SUBMISSION_NO_MEMORY;
    if (snapshot) {
        const struct submission_devices devices = {&snapshot->offers, service->default_device,
                                                   snapshot->first};
        state->plan_status = submission_plan_make(&state->plan, &state->read, &devices, &state->fault);
        free(snapshot);
    }
    atomic_store(&state->planned, true);
}

static void decide_in_pool(struct request *request)
{
    decide(request_state(request));
    atomic_fetch_sub(&planning, 1);
}

/* Many points take longer than a connection's thread may be held. */
static bool takes_long(const struct submission_request *read)
{
    return read->sweep || memmem(read->body, read->length, "\"repeat\"", 8) ||
           submission_plan_may_compile(read->body, read->length);
}

/* ---- act ---- */

static void on_submitted(void *arg, const struct submitted *outcome)
{
    struct submission_state *state = arg;
    state->outcome = *outcome;
    state->commit.changed = outcome->outcome == SUBMITTED_NEW;
    wait_commit_done(state, NULL);
}

/* Says when what the queue has no place for may be sent again. */
static enum handled reply_refusal(struct request *request, const struct submission_state *state,
                                  const struct error *error)
{
    if (error->kind == ERROR_FULL)
        reply_retry_after(request, queue_limits_wait_s(state->service->queue, state->read.user->name,
                                                       state->plan.runs, state->plan.timeouts_s));
    return reply_error(request, error);
}

static enum handled act(struct request *request, struct submission_state *state)
{
    const struct queue_submission submission = {
        .sweep = &state->plan.items,
        .owner = state->read.user->name,
        .request = state->plan.request,
        .recipe = state->plan.recipe,
        .idempotency_key = state->read.key,
        .fingerprint = state->plan.fingerprint,
    };
    struct error error = {0};
    if (state->plan_status < 0)
        return reply_fault(request, &state->fault);
    state->submitted = true;
    if (queue_submit(state->service->queue, &submission, on_submitted, state, &error) == 0)
        return HANDLED_WAIT;
    return reply_refusal(request, state, &error);
}

static enum handled begin(struct request *request, bool sweep)
{
    enum handled handled;
    struct submission_state *state = wait_commit_new(request, sizeof *state, state_free, &handled);
    if (!state)
        return handled;
    const char *wrong = read_request(request, sweep, state);
    if (wrong)
        return service_reply_wrong(request, wrong);
    if (!takes_long(&state->read)) {
        decide(state);
        return act(request, state);
    }
    if (atomic_fetch_add(&planning, 1) >= PLANNING_MAX) {
        atomic_fetch_sub(&planning, 1);
        reply_retry_after(request, 1);
        return reply_problem(request, PROBLEM_UNAVAILABLE, "too many sweeps are being read just now");
    }
    if (request_work(request, decide_in_pool))
        return HANDLED_WAIT;
    atomic_fetch_sub(&planning, 1);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "the service is stopping");
}

/* ---- answer ---- */

/* The key came before, and what became of that cannot be read now. */
static enum handled reply_unread(struct request *request, const char *id, const struct error *error)
{
    reply_retry_after(request, 2);
    return reply_problem(request, PROBLEM_UNAVAILABLE,
                         "it was accepted before, as %s, and what became of it cannot be read now: %s", id,
                         error->text);
}

/* True: the client waits for an end that is still to come. Else the reply has its headers, and *whole says
   whether it is the result, which was waited for, or where that stands. */
static bool waits(struct request *request, const struct submission_state *state, bool ended, bool unread,
                  bool *whole)
{
    char location[64];
    bool wanted = state->read.wait_s > 0;
    if (wanted && !ended && !unread && !request_over(request))
        return true;
    snprintf(location, sizeof location, "/v1/%s/%s", state->plan.sweep ? "sweeps" : "experiments",
             state->outcome.id);
    reply_header(request, "Location", location);
    *whole = wanted && ended;
    if (*whole)
        reply_preference_applied(request);
    return false;
}

/* A read that fails changes nothing about what is committed; but what came before with the same key may be at
   any state by now. */
static enum handled answer_experiment(struct request *request, struct submission_state *state)
{
    struct service *service = state->service;
    const char *id = state->outcome.id;
    struct view_experiment view = {.id = id, .kernel = state->plan.kernel, .device = state->plan.device};
    struct job *job = NULL;
    struct error error = {0};
    enum handled handled;
    bool whole, queued = experiment_reply_place(service, &view);
    view.state = view.running ? "running" : "queued";
    if (!queued || state->read.wait_s) {
        if (store_get(service->store, id, &job, &error) == 0)
            experiment_reply_now(service, job, &view);
        else if (error.kind == ERROR_NOT_FOUND)
            return reply_error(request, &error);
    }
    bool unread = error.kind != ERROR_NONE;
    if (unread && !queued && state->outcome.outcome == SUBMITTED_AGAIN)
        return reply_unread(request, id, &error);
    if (waits(request, state, view.ended, unread, &whole))
        handled = request_wait_until(request, state->read.wait_s);
    else if (whole)
        handled = experiment_reply_send(request, &view);
    else
        handled = experiment_reply_accepted(request, 202, &view);
    if (job)
        job_free(job);
    return handled;
}

/* The same for a sweep. */
static enum handled answer_sweep(struct request *request, struct submission_state *state)
{
    const char *id = state->outcome.id;
    struct sweep_row row;
    struct error error = {0};
    enum handled handled;
    bool whole, unread = store_sweep(state->service->store, id, &row, &error) < 0;
    if (unread && error.kind == ERROR_NOT_FOUND)
        return reply_error(request, &error);
    if (unread && state->outcome.outcome == SUBMITTED_AGAIN)
        return reply_unread(request, id, &error);
    if (unread) {
        row.rounds = state->plan.rounds;
        row.total = row.states[JOB_QUEUED] = state->plan.points * state->plan.rounds;
        row.submitted_ms = clock_wall_ms();
        memcpy(row.id, id, sizeof row.id);
    }
    if (waits(request, state, sweep_row_ended(&row), unread, &whole)) {
        handled = request_wait_until(request, state->read.wait_s);
    } else if (whole) {
        handled = sweep_reply_points(request, &row, &state->read.page);
    } else {
        request_type_first(request); /* there is no table of what has not ended */
        handled = sweep_reply_accepted(request, 202, &row);
    }
    sweep_row_clear(&row);
    return handled;
}

static enum handled answer(struct request *request, struct submission_state *state)
{
    const struct submitted *outcome = &state->outcome;
    if (outcome->outcome == SUBMITTED_FAILED)
        return reply_refusal(request, state, &outcome->error);
    if (outcome->outcome == SUBMITTED_MISMATCH)
        return reply_problem(request, PROBLEM_KEY_REUSED,
                             "this Idempotency-Key came before, with another request; use a new one");
    request_made(request, outcome->id);
    if (state->plan.sweep || state->read.wait_s) /* much memory, or for long */
        submission_plan_clear(&state->plan);
    /* Before the state is read, so that an end in between is not missed. */
    if (state->read.wait_s && !state->end && !(state->end = wait_end_new(request, outcome->id)))
        state->read.wait_s = 0;
    return state->plan.sweep ? answer_sweep(request, state) : answer_experiment(request, state);
}

static enum handled submit(struct request *request, bool sweep)
{
    struct submission_state *state = request_state(request);
    enum handled handled;
    if (!state)
        return begin(request, sweep);
    if (!atomic_load(&state->planned))
        return HANDLED_WAIT;
    if (!state->submitted)
        return act(request, state);
    return wait_commit_over(&state->commit, &handled) ? answer(request, state) : handled;
}

enum handled submission_steps_experiment(struct request *request)
{
    return submit(request, false);
}

enum handled submission_steps_sweep(struct request *request)
{
    return submit(request, true);
}

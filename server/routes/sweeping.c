/* Expanding 10,000 points takes longer than the thread of a connection may be held, so it has a thread of its own, one at
   a time. */
#include "server/routes/sweeping.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/csv.h"
#include "api/experiment_members.h"
#include "api/recipe.h"
#include "api/sweep.h"
#include "base/clock.h"
#include "base/thread.h"
#include "server/auth/user.h"
#include "server/queue/queue_submit.h"
#include "server/routes/answer_forbidden.h"
#include "server/routes/answer_sweep.h"
#include "server/routes/sweep_points.h"
#include "server/routes/await.h"
#include "server/routes/choosing.h"
#include "server/routes/idempotency.h"

enum { PREDICTING_MAX_MS = 2000 }; /* of a recipe's points: other sweeps wait meanwhile */
enum { EXPANDING_MAX = 64 };       /* sweeps that may wait for it at a time */

static atomic_int expanding;

struct sweeping {
    struct request *request;
    int wait_s;
    bool one; /* it came as one experiment */
    struct sweep_page page;
    struct await *await;

    pthread_t thread;
    bool started, joined, submitted;
    atomic_bool expanded; /* what follows is there */
    bool malformed, failed;
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct problems problems;
    struct sweep sweep;
    int point_count, rounds;     /* of the sweep, when that is freed */
    const struct recipe *recipe; /* NULL: none */
    char *text;                  /* the request, without its blanks */
    char fingerprint[FINGERPRINT_BYTES];

    atomic_bool committed; /* outcome is there */
    struct submitted outcome;
};

static void sweeping_free(void *arg)
{
    struct sweeping *sweeping = arg;
    if (sweeping->started && !sweeping->joined)
        pthread_join(sweeping->thread, NULL);
    await_free(sweeping->await);
    sweep_free(&sweeping->sweep);
    free(sweeping->text);
    free(sweeping);
}

static void on_committed(void *arg, const struct submitted *outcome)
{
    struct sweeping *sweeping = arg;
    sweeping->outcome = *outcome;
    if (outcome->outcome != SUBMITTED_NEW)
        request_unchanged(sweeping->request);
    atomic_store(&sweeping->committed, true);
    request_wake(sweeping->request);
}

/* ---- expanding ---- */

/* As a sweep it would be asked for: shapes, which are no axes here, in a list of their own. */
static char *one_text(const json_t *object)
{
    const char *name;
    json_t *value, *sweep = json_copy((json_t *)object);
    json_object_foreach ((json_t *)object, name, value)
        if (sweep_is_axis(name, value))
            json_object_set_new(sweep, name, json_pack("[O]", value));
    char *text = sweep ? json_parts_text(sweep) : NULL;
    json_decref(sweep);
    return text;
}

static int one_expand(struct sweeping *sweeping, const json_t *object, const struct device_offers *offers)
{
    const json_t *name = json_object_get(object, "kernel");
    int result = sweep_expand_one(&sweeping->sweep, object, offers, &sweeping->problems);
    if (result < 0 && json_is_string(name))
        sweep_explain(suite_find(json_string_value(name)), object, &sweeping->problems);
    return result;
}

static int body_expand(struct sweeping *sweeping, const struct device_offers *offers)
{
    struct service *service = request_service(sweeping->request);
    size_t length;
    const char *body = request_body(sweeping->request, &length);
    json_t *object =
        json_parts_body(body, length, "{\"kernel\": \"...\"} or {\"recipe\": \"...\"}", sweeping->detail);
    experiment_members_resolve_debug(object);
    if (object)
        sweeping->text = sweeping->one ? one_text(object) : json_parts_text(object);
    if (object && sweeping->one) {
        int result = choosing_default(service, object);
        if (result == 0)
            result = one_expand(sweeping, object, offers);
        json_decref(object);
        return sweeping->text ? result : -1;
    }
    json_t *wanted = object ? recipe_resolve(object, &sweeping->recipe, &sweeping->problems) : NULL;
    sweeping->malformed = !object;
    int result = -1;
    if (wanted && choosing_default(service, wanted) == 0)
        result = sweep_expand(&sweeping->sweep, wanted, offers, &sweeping->problems);
    if (result == 0 && sweeping->recipe)
        result = sweep_refer(&sweeping->sweep, sweeping->recipe, offers, PREDICTING_MAX_MS);
    if (sweeping->recipe)
        recipe_explain(sweeping->recipe, object, &sweeping->problems);
    json_decref(wanted);
    json_decref(object);
    return sweeping->text ? result : -1;
}

static void *expand(void *arg)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    struct sweeping *sweeping = arg;
    pthread_mutex_lock(&one);
    struct choosing *choosing = choosing_new(request_service(sweeping->request)->devices);
    sweeping->failed = !choosing || body_expand(sweeping, &choosing->offers) < 0;
    free(choosing);
    pthread_mutex_unlock(&one);
    atomic_fetch_sub(&expanding, 1);
    atomic_store(&sweeping->expanded, true);
    request_wake(sweeping->request);
    return NULL;
}

enum handled sweeping_begin(struct request *request, bool one)
{
    enum handled handled;
    bool wrong_key;
    struct sweep_page page;
    const char *wrong =
        sweep_page_read(request, !one && strcmp(request_type(request), CSV_MEDIA_TYPE) == 0, &page);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    key_read(request, &wrong_key, &handled);
    if (wrong_key)
        return handled;
    struct sweeping *sweeping = calloc(1, sizeof *sweeping);
    if (!sweeping)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for a sweep");
    sweeping->request = request;
    sweeping->one = one;
    sweeping->page = page;
    sweeping->wait_s = request_prefer_wait(request);
    sweeping->sweep.unknown_device = -1;
    request_set_state(request, sweeping, sweeping_free);
    if (atomic_fetch_add(&expanding, 1) >= EXPANDING_MAX ||
        thread_start(&sweeping->thread, "sweep", expand, sweeping)) {
        atomic_fetch_sub(&expanding, 1);
        return reply_problem(request, PROBLEM_UNAVAILABLE, "too many sweeps are being read just now");
    }
    sweeping->started = true;
    return request_wait(request);
}

/* ---- submitting ---- */

static enum handled reply_expansion(struct request *request, const struct sweeping *sweeping)
{
    if (sweeping->malformed)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", sweeping->detail);
    if (sweeping->problems.count)
        return reply_fields(request, &sweeping->problems);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for a sweep");
}

/* When what there is no room for may be sent again. */
static enum handled reply_refusal(struct request *request, const struct sweeping *sweeping,
                                  const struct error *error)
{
    const struct sweep *sweep = &sweeping->sweep;
    double timeouts_s = 0;
    for (int i = 0; i < sweep->experiment_count; i++)
        timeouts_s += sweep->experiments[i].timeout_s * sweep_rounds(sweep);
    if (error->kind == ERROR_FULL)
        reply_retry_after(request,
                          queue_submit_wait_s(request_service(request)->queue, request_user(request)->name,
                                              sweep->experiment_count * sweep_rounds(sweep), timeouts_s));
    return reply_error(request, error);
}

static enum handled submit(struct request *request, struct sweeping *sweeping)
{
    char hash[FINGERPRINT_BYTES], detail[COLUMNS_DETAIL_BYTES];
    struct error error = {0};
    if (sweeping->failed)
        return reply_expansion(request, sweeping);
    if (sweeping->sweep.unknown_device >= 0)
        return reply_unknown(request, sweeping->sweep.unknown_device);
    if (sweep_page_check(&sweeping->page, sweeping->sweep.points[0].values, detail) < 0)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", detail);
    enum handled forbidden;
    for (int i = 0; i < sweeping->sweep.experiment_count; i++)
        if (forbid_override(request, sweeping->sweep.experiments[i].priority, &forbidden))
            return forbidden;
    /* Other than that of the same text as an experiment. */
    fingerprint_make(sweeping->text, hash);
    snprintf(sweeping->fingerprint, sizeof sweeping->fingerprint, "sweep %.32s", hash);
    struct queue_submission submission = {
        .sweep = &sweeping->sweep,
        .owner = request_user(request)->name,
        .request = sweeping->text,
        .recipe = sweeping->recipe ? recipe_name(sweeping->recipe) : NULL,
        .idempotency_key = request_header(request, "Idempotency-Key"),
        .fingerprint = sweeping->fingerprint,
    };
    sweeping->submitted = true;
    if (queue_submit(request_service(request)->queue, &submission, on_committed, sweeping, &error) == 0)
        return request_wait(request);
    return reply_refusal(request, sweeping, &error);
}

/* ---- answering ---- */

/* Ended: with its results, when it was waited for. Else where it stands. */
static enum handled answer(struct request *request, struct sweeping *sweeping)
{
    const char *id = sweeping->outcome.id;
    struct sweep_row row;
    struct error error = {0};
    enum handled handled;
    bool unread = store_sweep(request_service(request)->store, id, &row, &error) < 0;
    if (unread && error.kind == ERROR_NOT_FOUND)
        return reply_error(request, &error);
    if (unread && sweeping->outcome.outcome == SUBMITTED_AGAIN)
        return reply_key_unread(request, id, &error);
    if (unread) { /* it is committed: a read that fails now changes nothing about that */
        row.rounds = sweeping->rounds;
        row.total = row.states[JOB_QUEUED] = sweeping->point_count * sweeping->rounds;
        row.submitted_ms = clock_wall_ms();
        memcpy(row.id, id, sizeof row.id);
    }
    bool ended = sweep_row_ended(&row);
    char location[64];
    snprintf(location, sizeof location, "/v1/sweeps/%s", id);
    if (sweeping->wait_s && !ended && !unread && !request_over(request)) {
        handled = request_wait_until(request, sweeping->wait_s);
    } else {
        reply_header(request, "Location", location);
        if (sweeping->wait_s && ended) {
            reply_preference_applied(request);
            handled = reply_sweep(request, &row, &sweeping->page);
        } else {
            request_type_first(request); /* there is no table of what has not ended */
            handled = reply_sweep_accepted(request, 202, &row);
        }
    }
    sweep_row_clear(&row);
    return handled;
}

enum handled sweeping_handle(struct request *request)
{
    struct sweeping *sweeping = request_state(request);
    if (!atomic_load(&sweeping->expanded))
        return request_wait(request);
    if (!sweeping->joined)
        sweeping->joined = pthread_join(sweeping->thread, NULL) == 0;
    if (!sweeping->submitted)
        return submit(request, sweeping);
    if (!atomic_load(&sweeping->committed))
        return request_wait(request);
    const struct submitted *outcome = &sweeping->outcome;
    if (outcome->outcome == SUBMITTED_FAILED)
        return reply_refusal(request, sweeping, &outcome->error);
    if (outcome->outcome == SUBMITTED_MISMATCH)
        return reply_key_reused(request);
    request_made(request, outcome->id);
    if (sweeping->sweep.points) {
        sweeping->point_count = sweeping->sweep.point_count;
        sweeping->rounds = sweep_rounds(&sweeping->sweep);
    }
    sweep_free(&sweeping->sweep); /* a wait may be long */
    /* Before the state is read, so that an end in between is not missed. */
    if (sweeping->wait_s && !sweeping->await && !(sweeping->await = await_new(request, outcome->id)))
        sweeping->wait_s = 0;
    return answer(request, sweeping);
}

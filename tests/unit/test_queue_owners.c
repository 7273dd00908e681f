/* Owners that come one after the other: memory and table do not grow, and the owners that used most stay
   known. What an owner's next one is told that it waits. */
#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "server/queue/entry.h"
#include "tests/unit/support/service.h"

enum { AT_ONCE = 128, MANY = 24 * AT_ONCE, MOST = 2 * OWNERS_IDLE_MAX + 2 * AT_ONCE };
static_assert(MANY > 2 * OWNERS_IDLE_MAX, "enough to make it forget some");

static int64_t clock_ns;

static int64_t test_now_ns(void)
{
    return clock_ns;
}

static int setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service->config.now_ns = test_now_ns;
    service->config.devices = 128;
    service->config.limit = 2 * AT_ONCE;
    service_start(service);
    *state = service;
    return 0;
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};

static void submit_with(struct service *service, const char *owner, int priority)
{
    struct plain plain = service_request(0, priority);
    plain.owner = owner;
    struct submitted submitted = service_submit(service, &plain);
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("%s", submitted.error.text);
}

static void submit_of(struct service *service, const char *owner)
{
    submit_with(service, owner, 0);
}

/* One experiment of that owner, which takes so long. */
static void run_of(struct service *service, const char *owner, double took_s)
{
    submit_of(service, owner);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    clock_ns += (int64_t)(took_s * 1e9);
    assert_null(queue_worker_next(service->queue, 0, &succeeded));
}

struct rows {
    int count;
    bool heavy;
};

static void share_row(void *arg, const char *owner, double used_s, int64_t at_ms)
{
    struct rows *rows = arg;
    (void)at_ms;
    rows->count++;
    rows->heavy |= strcmp(owner, "heavy") == 0 && used_s > 90;
}

static struct rows rows_of(struct service *service)
{
    struct rows rows = {0};
    struct error error = {0};
    store_flush(service->store);
    if (store_shares(service->store, share_row, &rows, &error) < 0)
        fail_msg("%s", error.text);
    return rows;
}

static void restart(struct service *service)
{
    service_stop(service);
    service_start(service);
}

static void on_submitted(void *arg, const struct submitted *submitted)
{
    (void)arg;
    assert_int_equal(submitted->outcome, SUBMITTED_NEW);
}

/* One experiment of each of many owners; not one by one, so that a commit is of several. */
static void run_many(struct service *service, double took_s)
{
    struct sweep_experiment run = {
        .kernel = "copy", .devices = device_set_of(0), .timeout_s = 60, .request = "{}"};
    struct sweep alone = {.experiments = &run, .experiment_count = 1, .rounds = 1};
    char names[AT_ONCE][32]; /* borrowed until the commit */
    struct error error = {0};
    for (int i = 0; i < MANY; i++) {
        char *name = names[i % AT_ONCE];
        snprintf(name, sizeof names[0], "owner%d", i);
        struct queue_submission submission = {.sweep = &alone, .owner = name};
        if (queue_submit(service->queue, &submission, on_submitted, NULL, &error) < 0)
            fail_msg("%s", error.text);
        if ((i + 1) % AT_ONCE)
            continue;
        store_flush(service->store);
        const struct task *task = queue_worker_next(service->queue, 0, NULL);
        for (int left = AT_ONCE; left; left--) {
            assert_non_null(task);
            clock_ns += (int64_t)(took_s * 1e9);
            task = queue_worker_next(service->queue, 0, &succeeded);
        }
        assert_null(task);
        store_flush(service->store);
    }
}

static void owners_without_work_are_forgotten_but_for_those_that_used_most(void **state)
{
    struct service *service = *state;
    struct plain waiting = service_request(1, 0);
    waiting.owner = "waits";
    assert_int_equal(service_submit(service, &waiting).outcome, SUBMITTED_NEW);
    run_of(service, "heavy", 100);
    run_many(service, 0.01);
    assert_in_range(service->queue->owners.count, OWNERS_IDLE_MAX, MOST);
    struct rows rows = rows_of(service);
    assert_in_range(rows.count, OWNERS_IDLE_MAX, MOST);
    assert_true(rows.heavy);
    assert_non_null(owner_find(&service->queue->owners, "waits"));
    restart(service);
    assert_in_range(service->queue->owners.count, OWNERS_IDLE_MAX, OWNERS_IDLE_MAX + 1);
    rows = rows_of(service);
    assert_int_equal(rows.count, OWNERS_IDLE_MAX);
    assert_true(rows.heavy);
    /* And it counts: a new owner goes before one that used much. */
    submit_of(service, "heavy");
    submit_of(service, "new");
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->owner, "new");
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->owner, "waits");
}

static void usage_that_has_halved_away_is_forgotten(void **state)
{
    struct service *service = *state;
    run_many(service, 0.01);
    clock_ns += INT64_C(3600) * 1000000000 * 20; /* half-lives */
    run_of(service, "late", 0.01);
    run_many(service, 0);
    assert_in_range(service->queue->owners.count, 0, MOST);
    assert_in_range(rows_of(service).count, 1, MOST);
    assert_non_null(owner_find(&service->queue->owners, "late"));
}

/* An owner has a record until it is forgotten; a name that is only asked about has none. */
static void an_owner_is_small_and_a_question_makes_none(void **state)
{
    struct service *service = *state;
    assert_in_range(sizeof(struct owner) + sizeof(struct owner_device) + sizeof(struct owner_queue), 1, 512);
    queue_limits_wait_s(service->queue, "nobody", 1, 1);
    assert_int_equal(service->queue->owners.count, 0);
}

/* Requests of kernels that users bring have their sources, and wait in memory. */
static void the_requests_of_an_owner_have_a_limit_in_bytes(void **state)
{
    enum { BYTES = 40 << 20 };
    struct service *service = *state;
    struct error error = {0};
    char *text = malloc(BYTES + 1);
    assert_non_null(text);
    memset(text, ' ', BYTES);
    memcpy(text, "{}", 2);
    text[BYTES] = '\0';
    struct sweep_experiment run = {.kernel = "copy",
                                   .devices = device_set_of(0),
                                   .timeout_s = 60,
                                   .request = "{}",
                                   .sources = {{"src-0123456789ab", "e", text}},
                                   .source_count = 1};
    struct sweep alone = {.experiments = &run, .experiment_count = 1, .rounds = 1};
    struct queue_submission submission = {.sweep = &alone, .owner = "greedy"};
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, NULL, &error), 0);
    store_flush(service->store);
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_FULL);
    assert_non_null(strstr(error.text, "bytes"));
    submission.owner = "other";
    error_clear(&error);
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, NULL, &error), 0);
    store_flush(service->store);
    for (int i = 0; i < 2; i++)
        assert_non_null(queue_worker_next(service->queue, 0, i ? &succeeded : NULL));
    assert_null(queue_worker_next(service->queue, 0, &succeeded));
    submission.owner = "greedy"; /* what runs no more does not count */
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, NULL, &error), 0);
    store_flush(service->store);
    free(text);
}

static void behind_one_that_has_outlived_its_estimate_nothing_begins_at_once(void **state)
{
    struct service *service = *state;
    run_of(service, "a", 1); /* each takes a second, as far as one knows */
    submit_of(service, "a");
    submit_of(service, "a");
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    for (int runs_s = 4; runs_s <= 16; runs_s *= 2) {
        struct queue_owner *owners;
        clock_ns += (int64_t)(runs_s == 4 ? 4 : runs_s / 2) * 1000000000;
        assert_int_equal(queue_view_owners(service->queue, 0, &owners), 1);
        assert_true(owners[0].begins_s == 0.5 * runs_s);
        free(owners);
    }
}

static void who_has_an_override_is_first_in_the_list(void **state)
{
    struct service *service = *state;
    struct queue_owner *owners;
    run_of(service, "a", 1);
    submit_of(service, "a");
    submit_of(service, "b");
    submit_with(service, "a", PRIORITY_OVERRIDE);
    assert_int_equal(queue_view_owners(service->queue, 0, &owners), 2);
    assert_string_equal(owners[0].name, "a");
    assert_true(owners[0].queued == 2 && owners[0].overrides == 1);
    assert_int_equal(owners[1].overrides, 0);
    assert_true(owners[0].share > owners[1].share && owners[0].begins_s < owners[1].begins_s);
    free(owners);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->owner, "a");
}

static void what_is_behind_overrides_begins_when_they_have_ended(void **state)
{
    struct service *service = *state;
    struct queue_owner *owners;
    for (int i = 0; i < 20; i++)
        run_of(service, "a", 0.1);
    for (int i = 0; i < 4; i++)
        run_of(service, "root", 2); /* longer than the mean of all */
    submit_of(service, "a");
    for (int i = 0; i < 5; i++)
        submit_with(service, "root", PRIORITY_OVERRIDE);
    assert_int_equal(queue_view_owners(service->queue, 0, &owners), 2);
    assert_string_equal(owners[0].name, "root");
    if (!(owners[0].ends_s > 8 && fabs(owners[0].ends_s - owners[1].begins_s) < 0.1))
        fail_msg("all end in %.1f s, and the next begins in %.1f s", owners[0].ends_s, owners[1].begins_s);
    free(owners);
}

/* A sweep of that many whose arrays have so many bytes, of "a". */
static struct submitted sweep_of(struct service *service, int count, double bytes)
{
    struct sweep_experiment runs[64];
    struct sweep_point points[64];
    for (int i = 0; i < count; i++) {
        runs[i] = (struct sweep_experiment){.kernel = "copy",
                                            .devices = device_set_of(0),
                                            .timeout_s = 60,
                                            .request = "{}",
                                            .array_bytes = bytes,
                                            .points = 1};
        points[i] = (struct sweep_point){.experiment = i, .values = "{}"};
    }
    struct sweep sweep = {
        .experiments = runs, .experiment_count = count, .rounds = 1, .points = points, .point_count = count};
    struct submitted submitted = service_submit_sweep(
        service,
        &(struct queue_submission){.sweep = &sweep, .owner = "a", .request = "{}", .fingerprint = ""});
    assert_int_equal(submitted.outcome, SUBMITTED_NEW);
    return submitted;
}

static void runs_of(struct service *service, int count, double took_s)
{
    for (int i = 0; i < count; i++) {
        assert_non_null(queue_worker_next(service->queue, 0, i ? &succeeded : NULL));
        clock_ns += (int64_t)(took_s * 1e9);
    }
    service->queue->stopping = true; /* takes no other */
    queue_worker_next(service->queue, 0, &succeeded);
    service->queue->stopping = false;
}

static void the_end_of_a_sweep_is_expected_by_the_size_of_its_runs(void **state)
{
    struct service *service = *state;
    bool paused;
    sweep_of(service, 20, 1e6);
    runs_of(service, 20, 0.1);
    struct submitted large = sweep_of(service, 30, 1e8);
    runs_of(service, 1, 3); /* 29 are left, which is 87 s: not the mean of 16, 8 s */
    double left_s = queue_view_sweep_eta_s(service->queue, large.id, &paused);
    if (left_s < 75 || left_s > 90)
        fail_msg("%.1f s", left_s);
    runs_of(service, 29, 3);
    struct submitted small = sweep_of(service, 30, 1e6); /* and small ones are short again */
    left_s = queue_view_sweep_eta_s(service->queue, small.id, &paused);
    if (left_s > 6)
        fail_msg("%.1f s", left_s);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, setup, service_teardown)
    const struct CMUnitTest tests[] = {
        ONE(owners_without_work_are_forgotten_but_for_those_that_used_most),
        ONE(the_requests_of_an_owner_have_a_limit_in_bytes),
        ONE(usage_that_has_halved_away_is_forgotten),
        ONE(who_has_an_override_is_first_in_the_list),
        ONE(what_is_behind_overrides_begins_when_they_have_ended),
        ONE(behind_one_that_has_outlived_its_estimate_nothing_begins_at_once),
        ONE(the_end_of_a_sweep_is_expected_by_the_size_of_its_runs),
        ONE(an_owner_is_small_and_a_question_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

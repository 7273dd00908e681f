/* Sweeps in the queue and in the store: all or nothing, and what remains after a cancellation or a restart. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"
#include "tests/unit/support/vfs_powercut.h"

enum { RUNS = 10, POINTS = 12 }; /* one point twice, one that cannot be launched */

static atomic_int sweeps_ended, changed[JOB_STATES];
static char ended_id[ID_BYTES];

static void on_changed(void *arg, const char *id, enum job_state state)
{
    (void)arg;
    if (state == JOB_STATES)
        memcpy(ended_id, id, ID_BYTES);
    atomic_fetch_add(state == JOB_STATES ? &sweeps_ended : &changed[state], 1);
}

static int setup_on(void **state, const char *vfs)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, vfs);
    service->config.changed = on_changed;
    service_start(service);
    atomic_store(&sweeps_ended, 0);
    for (int i = 0; i < JOB_STATES; i++)
        atomic_store(&changed[i], 0);
    *state = service;
    return 0;
}

static int setup(void **state)
{
    return setup_on(state, NULL);
}

static int setup_powercut(void **state)
{
    powercut_register();
    return setup_on(state, POWERCUT_HONEST);
}

static int teardown(void **state)
{
    powercut_fill(false);
    service_end(*state);
    powercut_forget();
    free(*state);
    return 0;
}

/* ---- without callbacks ---- */

struct answer {
    sem_t came;
    struct error failed;
};

static void answer_cancelled(void *arg, const struct error *failed)
{
    struct answer *answer = arg;
    if (failed)
        answer->failed = *failed;
    sem_post(&answer->came);
}

static struct submitted submit(struct service *service, const char *key, const char *fingerprint)
{
    struct sweep_experiment runs[RUNS];
    struct sweep_point points[POINTS];
    for (int i = 0; i < RUNS; i++)
        runs[i] = (struct sweep_experiment){.kernel = "copy",
                                            .devices = device_set_of(i % 2),
                                            .timeout_s = 60,
                                            .request = "{\"kernel\":\"copy\"}",
                                            .points = i ? 1 : 2};
    for (int i = 0; i < POINTS; i++)
        points[i] = (struct sweep_point){.experiment = i % RUNS, .values = "{\"offset\":1}"};
    points[POINTS - 1] = (struct sweep_point){.experiment = -1,
                                              .values = "{\"offset\":2}",
                                              .request = "{\"kernel\":\"copy\"}",
                                              .failure = "{\"kind\":\"invalid\"}"};
    struct sweep sweep = {
        .experiments = runs, .experiment_count = RUNS, .rounds = 1, .points = points, .point_count = POINTS};
    struct queue_submission submission = {
        .sweep = &sweep, .request = "{\"offset\":[1]}", .idempotency_key = key, .fingerprint = fingerprint};
    return service_submit_sweep(service, &submission);
}

static void submit_new(struct service *service, char id[ID_BYTES])
{
    struct submitted submitted = submit(service, NULL, NULL);
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("%s", submitted.error.text);
    memcpy(id, submitted.id, ID_BYTES);
}

static int cancel(struct service *service, const char *id, struct error *error)
{
    struct answer answer = {0};
    sem_init(&answer.came, 0, 0);
    int status = queue_cancel_sweep(service->queue, id, "", answer_cancelled, &answer, error);
    if (status == 0)
        sem_wait(&answer.came);
    sem_destroy(&answer.came);
    if (answer.failed.kind != ERROR_NONE)
        status = error_set(error, answer.failed.kind, "%s", answer.failed.text);
    return status;
}

/* Points by state: queued, running, succeeded, failed, cancelled. */
static void counts_are(struct service *service, const char *id, int queued, int running, int succeeded,
                       int failed, int cancelled)
{
    const int wanted[JOB_STATES] = {queued, running, succeeded, failed, cancelled};
    struct sweep_row row;
    struct error error = {0};
    store_flush(service->store);
    if (store_sweep(service->store, id, &row, &error) < 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < JOB_STATES; i++)
        assert_int_equal(row.states[i], wanted[i]);
    assert_int_equal(row.total, POINTS);
    sweep_row_clear(&row);
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{\"schema\": 1}"};

/* Runs all that waits for a device; how many there were. */
static int run_all(struct service *service, int device)
{
    int count = 0;
    const struct task *task = queue_worker_next(service->queue, device, NULL);
    for (; task; count++)
        task = queue_worker_next(service->queue, device, &succeeded);
    return count;
}

static int queued(struct service *service)
{
    struct device_stats zero, one;
    queue_view_device(service->queue, 0, &zero);
    queue_view_device(service->queue, 1, &one);
    return zero.queued + one.queued;
}

/* ---- tests ---- */

static void all_of_it_is_queued_and_its_end_is_notified_once(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    submit_new(service, id);
    counts_are(service, id, POINTS - 1, 0, 0, 1, 0);
    assert_int_equal(queued(service), RUNS);
    assert_int_equal(atomic_load(&changed[JOB_QUEUED]), RUNS);
    assert_int_equal(run_all(service, 0), RUNS / 2);
    store_flush(service->store);
    assert_int_equal(atomic_load(&sweeps_ended), 0);
    assert_int_equal(run_all(service, 1), RUNS / 2);
    counts_are(service, id, 0, 0, POINTS - 1, 1, 0);
    assert_int_equal(atomic_load(&sweeps_ended), 1);
    assert_string_equal(ended_id, id);
    assert_int_equal(atomic_load(&changed[JOB_SUCCEEDED]), RUNS);
}

/* Two sweeps, and one experiment that goes before all of them. */
static void what_is_ahead_is_of_the_same_sweep_and_in_the_order_of_the_runs(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES], other[ID_BYTES], single[ID_BYTES];
    struct ahead ahead;
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 0); /* nothing runs */
    submit_new(service, id);
    submit_new(service, other);
    const struct task *task = queue_worker_next(service->queue, 0, NULL);
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, RUNS / 2 - 1); /* the other device's are not, nor the other sweep's */
    service_queue(service, 0, 5, single);
    struct ahead before = ahead;
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 0); /* another one is next */
    task = queue_worker_next(service->queue, 0, &succeeded);
    assert_string_equal(task->id, single);
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 0); /* of no sweep */
    for (int i = 0; i < before.count; i++) {
        task = queue_worker_next(service->queue, 0, &succeeded);
        assert_string_equal(task->id, before.at[i].id);
        assert_string_equal(task->request, before.at[i].request);
    }
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 0); /* it was the last one of its sweep */
    protocol_ahead_free(&before);
    while (queue_worker_next(service->queue, 0, &succeeded))
        ;
    run_all(service, 1);
}

static void what_is_ahead_is_bounded(void **state)
{
    enum { COUNT = 40 };
    struct service *service = *state;
    static char large[PROTOCOL_AHEAD_BYTES / 4];
    const char *requests[COUNT];
    struct ahead ahead;
    char id[ID_BYTES];
    snprintf(large, sizeof large, "{\"kernel\":\"copy\",\"text\":\"%*d\"}", PROTOCOL_AHEAD_BYTES / 4 - 40, 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++)
            requests[i] = round ? large : "{\"kernel\":\"copy\"}";
        service_sweep(service, requests, COUNT, 60, id);
        queue_worker_next(service->queue, 0, NULL);
        queue_worker_ahead(service->queue, 0, &ahead);
        assert_int_equal(ahead.count, round ? 4 : PROTOCOL_AHEAD);
        protocol_ahead_free(&ahead);
        while (queue_worker_next(service->queue, 0, &succeeded))
            ;
    }
}

/* Counting ahead would delay the other owners. */
static void fewer_are_ahead_while_another_owner_waits(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    const char *requests[10];
    struct ahead ahead;
    for (int i = 0; i < 10; i++)
        requests[i] = "{\"kernel\":\"copy\"}";
    service_sweep(service, requests, 10, 60, id);
    queue_worker_next(service->queue, 0, NULL);
    struct plain other = service_request(0, 0);
    other.owner = "other";
    assert_int_equal(service_submit(service, &other).outcome, SUBMITTED_NEW);
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 3);
    protocol_ahead_free(&ahead);
    for (int i = 0; i < 14; i++) { /* sixteen then: one ahead; seventeen: none */
        char name[16];
        snprintf(name, sizeof name, "o%d", i);
        other.owner = name;
        assert_int_equal(service_submit(service, &other).outcome, SUBMITTED_NEW);
    }
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 1);
    protocol_ahead_free(&ahead);
    other.owner = "seventeen";
    assert_int_equal(service_submit(service, &other).outcome, SUBMITTED_NEW);
    queue_worker_ahead(service->queue, 0, &ahead);
    assert_int_equal(ahead.count, 0);
    while (queue_worker_next(service->queue, 0, &succeeded))
        ;
}

struct seen {
    int count, without;
    char ids[POINTS][ID_BYTES];
};

static int point_seen(void *arg, const struct point_row *row)
{
    struct seen *seen = arg;
    assert_int_equal(row->place, seen->count);
    if (row->job)
        memcpy(seen->ids[seen->count], row->job->id, ID_BYTES);
    else
        seen->without++;
    assert_true(row->job || (row->reason && row->request));
    seen->count++;
    return 0;
}

static void points_are_read_in_their_order_and_may_share_an_experiment(void **state)
{
    struct service *service = *state;
    struct seen seen = {0};
    char id[ID_BYTES];
    submit_new(service, id);
    assert_int_equal(store_points(service->store, id, 0, 100, point_seen, &seen, NULL), 0);
    assert_int_equal(seen.count, POINTS);
    assert_int_equal(seen.without, 1);
    assert_string_equal(seen.ids[0], seen.ids[RUNS]);
    struct job *job = service_get(service, seen.ids[3]);
    assert_string_equal(job->sweep, id);
    job_free(job);
}

static void all_fit_or_none(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    for (int i = 0; i < 9; i++)
        submit_new(service, id);
    for (int i = 0; i < 5; i++)
        service_queue(service, 0, 0, id);
    struct submitted submitted = submit(service, NULL, NULL);
    assert_int_equal(submitted.outcome, SUBMITTED_FAILED);
    assert_int_equal(submitted.error.kind, ERROR_FULL);
    assert_non_null(strstr(submitted.error.text, "95 wait and 100 may"));
    submitted = submit(service, "key", "one");
    assert_int_equal(submitted.error.kind, ERROR_FULL);
    assert_int_equal(queued(service), 95);
    run_all(service, 0);
    submit_new(service, id);
}

static void a_key_gives_the_same_sweep_again(void **state)
{
    struct service *service = *state;
    struct submitted first = submit(service, "key", "one"), again = submit(service, "key", "one"),
                     other = submit(service, "key", "two");
    assert_int_equal(first.outcome, SUBMITTED_NEW);
    assert_int_equal(again.outcome, SUBMITTED_AGAIN);
    assert_string_equal(again.id, first.id);
    assert_int_equal(other.outcome, SUBMITTED_MISMATCH);
    assert_int_equal(queued(service), RUNS);
}

static void a_cancellation_ends_all_that_is_queued_and_notifies_what_runs(void **state)
{
    struct service *service = *state;
    struct error error = {0};
    char id[ID_BYTES], other[ID_BYTES];
    submit_new(service, id);
    service_queue(service, 0, 0, other);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    assert_int_equal(cancel(service, id, &error), 0);
    assert_true(queue_view_cancelled(service->queue, 0));
    counts_are(service, id, 0, 2, 0, 1, POINTS - 3); /* what runs is two points */
    assert_int_equal(queued(service), 1);
    assert_int_equal(service_state(service, other), JOB_QUEUED);
    assert_int_equal(atomic_load(&sweeps_ended), 0);
    const struct error why = {.kind = ERROR_CANCELLED};
    const struct task *next =
        queue_worker_next(service->queue, 0, &(struct ending){.state = JOB_CANCELLED, .failure = &why});
    assert_string_equal(next->id, other);
    counts_are(service, id, 0, 0, 0, 1, POINTS - 1);
    assert_int_equal(atomic_load(&sweeps_ended), 1);
    assert_int_equal(cancel(service, id, &error), -1);
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
}

static void what_was_left_goes_on_after_a_start(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    submit_new(service, id);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    assert_non_null(queue_worker_next(service->queue, 0, &succeeded)); /* it runs at the end */
    service_stop(service);
    service_start(service);
    counts_are(service, id, POINTS - 3, 0, 2, 1, 0);
    assert_int_equal(run_all(service, 0) + run_all(service, 1), RUNS - 1);
    counts_are(service, id, 0, 0, POINTS - 1, 1, 0);
    assert_int_equal(atomic_load(&sweeps_ended), 1);
    assert_string_equal(ended_id, id);
}

static void one_that_is_left_can_be_cancelled_after_a_start(void **state)
{
    struct service *service = *state;
    struct error error = {0};
    char id[ID_BYTES];
    submit_new(service, id);
    service_stop(service);
    service_start(service);
    assert_int_equal(cancel(service, id, &error), 0);
    counts_are(service, id, 0, 0, 0, 1, POINTS - 1);
    assert_int_equal(queued(service), 0);
    assert_int_equal(atomic_load(&sweeps_ended), 1);
}

static void what_cannot_be_stored_changes_nothing(void **state)
{
    struct service *service = *state;
    struct error error = {0};
    char id[ID_BYTES];
    submit_new(service, id);
    assert_non_null(queue_worker_next(service->queue, 1, NULL));
    assert_true(queue_worker_begun(service->queue, 1));
    powercut_fill(true);
    assert_int_equal(submit(service, NULL, NULL).outcome, SUBMITTED_FAILED);
    assert_int_equal(cancel(service, id, &error), -1);
    assert_int_equal(error.kind, ERROR_STORE);
    assert_false(queue_view_cancelled(service->queue, 1)); /* what runs goes on */
    powercut_fill(false);
    queue_worker_hand_back(service->queue, 1, false, NULL);
    assert_true(queue_worker_wait(service->queue, 0, 60000)); /* until the disk is found to be back */
    assert_int_equal(run_all(service, 0) + run_all(service, 1), RUNS);
    counts_are(service, id, 0, 0, POINTS - 1, 1, 0);
}

static void the_time_that_is_left_is_that_of_the_last_one(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES], ids[ID_BYTES];
    submit_new(service, id);
    bool paused;
    assert_true(queue_view_sweep_eta_s(service->queue, id, &paused) < 0); /* nothing ran yet */
    run_all(service, 0);
    run_all(service, 1);
    assert_true(queue_view_sweep_eta_s(service->queue, id, &paused) < 0); /* it has ended */
    submit_new(service, id);
    struct device_stats stats;
    queue_view_device(service->queue, 0, &stats);
    double alone_s = queue_view_sweep_eta_s(service->queue, id, &paused);
    assert_true(alone_s >= stats.mean_s);
    for (int i = 0; i < 10; i++) /* ahead of it on both: the slower one decides */
        service_queue(service, i % 2, 9, ids);
    assert_true(queue_view_sweep_eta_s(service->queue, id, &paused) > alone_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_is_queued_and_its_end_is_notified_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_ahead_is_of_the_same_sweep_and_in_the_order_of_the_runs,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_ahead_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(fewer_are_ahead_while_another_owner_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_read_in_their_order_and_may_share_an_experiment, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(all_fit_or_none, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_gives_the_same_sweep_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cancellation_ends_all_that_is_queued_and_notifies_what_runs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_was_left_goes_on_after_a_start, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_is_left_can_be_cancelled_after_a_start, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_stored_changes_nothing, setup_powercut, teardown),
        cmocka_unit_test_setup_teardown(the_time_that_is_left_is_that_of_the_last_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "server/queue/order.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"
#include "tests/unit/support/vfs_powercut.h"

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{\"schema\": 1}"};

/* ---- order ---- */

static void the_oldest_runs_first_within_a_priority_and_higher_ones_before(void **state)
{
    struct service *service = *state;
    static const int priorities[] = {0, 5, -1, 0, 5, 0}, order[] = {1, 4, 0, 3, 5, 2};
    char ids[6][ID_BYTES];
    for (int i = 0; i < 6; i++)
        service_queue(service, 0, priorities[i], ids[i]);
    const struct task *task = queue_worker_next(service->queue, 0, NULL);
    for (int i = 0; i < 6; i++) {
        assert_non_null(task);
        assert_string_equal(task->id, ids[order[i]]);
        assert_int_equal(task->attempt, 1);
        assert_true(task->timeout_s == 60);
        assert_string_equal(task->request, service_request(0, 0).request);
        task = queue_worker_next(service->queue, 0, &succeeded);
    }
    assert_null(task);
}

static void a_device_takes_only_its_own(void **state)
{
    struct service *service = *state;
    char zero[ID_BYTES], one[ID_BYTES];
    service_queue(service, 1, 9, one);
    service_queue(service, 0, 0, zero);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, zero);
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->id, one);
    assert_null(queue_worker_next(service->queue, 0, &succeeded));
    struct plain nowhere = service_request(2, 0);
    assert_int_equal(service_submit(service, &nowhere).error.kind, ERROR_INVALID);
}

/* Compared with counting in a sorted list. */
static void positions_in_the_order_are_as_if_sorted(void **state)
{
    enum { NODES = 400, ROUNDS = 4000 };
    static struct order_node nodes[NODES];
    static char ids[NODES][ID_BYTES];
    static bool in[NODES];
    struct order_node *root = NULL;
    unsigned seed = 7;
    (void)state;
    for (int i = 0; i < NODES; i++)
        id_next(ids[i]);
    for (int round = 0; round < ROUNDS; round++) {
        int i = rand_r(&seed) % NODES;
        if (in[i])
            order_remove(&root, &nodes[i]);
        else
            nodes[i].bytes = rand_r(&seed);
        if (!in[i])
            order_insert(&root, &nodes[i], ids[i], rand_r(&seed) % 3);
        in[i] = !in[i];
        int count = 0, before = 0, probe = rand_r(&seed) % NODES;
        int64_t bytes = 0, found = 0;
        for (int k = 0; k < NODES; k++) {
            bool earlier = in[k] && (nodes[k].priority > nodes[probe].priority ||
                                     (nodes[k].priority == nodes[probe].priority && k < probe));
            count += in[k];
            before += earlier;
            bytes += earlier ? nodes[k].bytes : 0;
        }
        assert_int_equal(root ? root->size : 0, count);
        if (in[probe])
            assert_int_equal(order_position(root, &nodes[probe], &found), before);
        if (in[probe])
            assert_int_equal(found, bytes);
        if (in[probe] && before == 0)
            assert_ptr_equal(order_first(root), &nodes[probe]);
    }
}

static void a_position_counts_what_runs_and_what_is_before(void **state)
{
    struct service *service = *state;
    char ids[3][ID_BYTES];
    struct queue_position position;
    for (int i = 0; i < 3; i++)
        service_queue(service, 0, 0, ids[i]);
    assert_int_equal(queue_view_position(service->queue, ids[0], &position), 0);
    assert_true(position.ahead_s == 0);
    assert_int_equal(queue_view_position(service->queue, ids[2], &position), 2);
    assert_true(position.ahead_s < 0);
    queue_worker_next(service->queue, 0, NULL);
    assert_int_equal(queue_view_position(service->queue, ids[0], &position), 0);
    assert_int_equal(queue_view_position(service->queue, ids[1], &position), 1);
    usleep(20000);
    queue_worker_next(service->queue, 0, &succeeded);
    assert_int_equal(queue_view_position(service->queue, ids[0], &position), -1);
    assert_int_equal(queue_view_position(service->queue, ids[2], &position), 1);
    assert_true(position.ahead_s > 0 && position.ahead_s < 5);
    struct device_stats stats;
    queue_view_device(service->queue, 0, &stats);
    assert_int_equal(stats.queued, 1);
    assert_string_equal(stats.running, ids[1]);
    assert_true(stats.mean_s >= 0.02);
    assert_true(stats.busy_s >= 0.02);
    assert_true(stats.oldest_s >= 0.02 && stats.oldest_s < 60);
    queue_admin_reset_device(service->queue, 0);
    queue_view_device(service->queue, 0, &stats);
    assert_true(stats.mean_s < 0);
    queue_view_device(service->queue, 1, &stats);
    assert_int_equal(stats.queued, 0);
    assert_string_equal(stats.running, "");
    assert_true(stats.mean_s < 0);
    assert_true(stats.busy_s == 0 && stats.oldest_s == 0);
}

/* ---- states and the store ---- */

/* The oldest experiment that waits for the device is that one; NULL: none waits. */
static void assert_oldest(struct service *service, const char *id)
{
    struct device_stats stats;
    int64_t before_ms = clock_wall_ms();
    queue_view_device(service->queue, 0, &stats);
    int64_t after_ms = clock_wall_ms(), age_ms = (int64_t)(stats.oldest_s * 1e3 + 0.5);
    if (id)
        assert_in_range(age_ms, before_ms - id_ms(id), after_ms - id_ms(id));
    else
        assert_int_equal(age_ms, 0);
}

static void the_age_of_the_oldest_that_waits_does_not_depend_on_the_order(void **state)
{
    static const int priorities[] = {-5, 0, 7};
    struct service *service = *state;
    struct error error = {0};
    char ids[3][ID_BYTES];
    assert_oldest(service, NULL);
    for (int i = 0; i < 3; i++) {
        service_queue(service, 0, priorities[i], ids[i]);
        usleep(50000);
    }
    assert_oldest(service, ids[0]);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, ids[2]);
    assert_string_equal(queue_worker_next(service->queue, 0, &succeeded)->id, ids[1]);
    assert_oldest(service, ids[0]);
    assert_int_equal(service_cancel(service, ids[0], &error), 0);
    assert_oldest(service, NULL); /* the one that runs does not wait */
    queue_worker_hand_back(service->queue, 0, false, NULL);
    assert_oldest(service, ids[1]);
    service_queue(service, 0, 100, ids[0]);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, ids[0]);
    service_stop(service); /* what runs is taken up behind what waits, and may be younger */
    service_start(service);
    assert_oldest(service, ids[1]);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, ids[0]);
    assert_string_equal(queue_worker_next(service->queue, 0, &succeeded)->id, ids[1]);
    assert_oldest(service, NULL);
}

static void each_change_is_stored(void **state)
{
    struct service *service = *state;
    char first[ID_BYTES], second[ID_BYTES];
    service_queue(service, 0, 0, first);
    service_queue(service, 0, 0, second);
    assert_int_equal(service_state(service, first), JOB_QUEUED);
    queue_worker_next(service->queue, 0, NULL);
    assert_int_equal(service_state(service, first), JOB_RUNNING);
    struct error failure = {.kind = ERROR_CRASHED, .text = "signal 11"};
    queue_worker_next(service->queue, 0, &(struct ending){.state = JOB_FAILED, .failure = &failure});
    struct job *job = service_get(service, first);
    assert_int_equal(job->state, JOB_FAILED);
    assert_int_equal(job->failure.kind, ERROR_CRASHED);
    assert_string_equal(job->failure.text, "signal 11");
    assert_null(job->result);
    assert_true(job->submitted_ms > 0 && job->started_ms >= job->submitted_ms &&
                job->finished_ms >= job->started_ms);
    job_free(job);
    assert_int_equal(service_state(service, second), JOB_RUNNING);
    queue_worker_next(service->queue, 0, &succeeded);
    job = service_get(service, second);
    assert_int_equal(job->state, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, 1);
    assert_string_equal(job->result, succeeded.result);
    job_free(job);
}

static void a_full_queue_refuses_and_accepts_again(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    struct plain keyed = service_request(0, 0), plain = keyed;
    keyed.idempotency_key = "key";
    keyed.fingerprint = "print";
    struct submitted first = service_submit(service, &keyed);
    for (int i = 1; i < service->config.limit; i++)
        service_queue(service, i % 2, 0, id);
    assert_int_equal(service_submit(service, &plain).error.kind, ERROR_FULL);

    struct submitted again = service_submit(service, &keyed);
    assert_int_equal(again.outcome, SUBMITTED_AGAIN);
    assert_string_equal(again.id, first.id);
    keyed.idempotency_key = "another";
    struct submitted refused = service_submit(service, &keyed);
    assert_int_equal(refused.outcome, SUBMITTED_FAILED);
    assert_int_equal(refused.error.kind, ERROR_FULL);

    queue_worker_next(service->queue, 0, NULL);
    assert_int_equal(service_submit(service, &plain).outcome, SUBMITTED_NEW);
    assert_int_equal(service_submit(service, &plain).error.kind, ERROR_FULL);
}

static atomic_int outcomes[4];

static void *submit_same(void *arg)
{
    struct service *service = arg;
    struct plain submission = service_request(0, 0);
    submission.idempotency_key = "the same";
    submission.fingerprint = "print";
    for (int i = 0; i < 20; i++)
        atomic_fetch_add(&outcomes[service_submit(service, &submission).outcome], 1);
    return NULL;
}

static void one_key_is_one_experiment_however_many_submit_it_at_once(void **state)
{
    struct service *service = *state;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, submit_same, service);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&outcomes[SUBMITTED_NEW]), 1);
    assert_int_equal(atomic_load(&outcomes[SUBMITTED_AGAIN]), 8 * 20 - 1);
    struct plain other = service_request(0, 0);
    other.idempotency_key = "the same";
    other.fingerprint = "another print";
    assert_int_equal(service_submit(service, &other).outcome, SUBMITTED_MISMATCH);
    struct device_stats stats;
    queue_view_device(service->queue, 0, &stats);
    assert_int_equal(stats.queued, 1);
}

enum { SUBMITTERS = 6, EACH = 100 };

static void *submit_many(void *arg)
{
    struct plain submission = service_request(0, 0);
    for (int i = 0; i < EACH; i++)
        if (service_submit(arg, &submission).outcome != SUBMITTED_NEW)
            return arg;
    return NULL;
}

static void *work_through(void *arg)
{
    struct service *service = arg;
    static char ids[SUBMITTERS * EACH][ID_BYTES];
    for (int i = 0; i < SUBMITTERS * EACH;) {
        queue_worker_wait(service->queue, 0, -1);
        const struct task *task = queue_worker_next(service->queue, 0, NULL);
        for (; task; task = queue_worker_next(service->queue, 0, &succeeded))
            memcpy(ids[i++], task->id, ID_BYTES);
    }
    return ids;
}

static int ids_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void what_many_submit_runs_once_each(void **state)
{
    struct service *service = *state;
    service_stop(service);
    service->config.limit = SUBMITTERS * EACH;
    service_start(service);
    pthread_t submitters[SUBMITTERS], worker;
    void *result = NULL;
    pthread_create(&worker, NULL, work_through, service);
    for (int i = 0; i < SUBMITTERS; i++)
        pthread_create(&submitters[i], NULL, submit_many, service);
    for (int i = 0; i < SUBMITTERS; i++) {
        pthread_join(submitters[i], &result);
        assert_null(result);
    }
    pthread_join(worker, &result);
    char(*ids)[ID_BYTES] = result;
    qsort(ids, SUBMITTERS * EACH, ID_BYTES, ids_compare);
    for (int i = 0; i < SUBMITTERS * EACH; i++) {
        assert_true(i == 0 || strcmp(ids[i - 1], ids[i]) != 0);
        assert_int_equal(service_state(service, ids[i]), JOB_SUCCEEDED);
    }
}

/* ---- notifications ---- */

static char notified[1024];

static void on_changed(void *arg, const char *id, enum job_state state)
{
    (void)arg;
    size_t used = strlen(notified);
    snprintf(notified + used, sizeof notified - used, "%c:%s ", id[ID_BYTES - 2], job_state_name(state));
}

static void changes_are_notified_in_their_order_after_the_commit(void **state)
{
    struct service *service = *state;
    char ids[2][ID_BYTES], wanted[256];
    service_stop(service);
    service->config.changed = on_changed;
    service_start(service);
    notified[0] = '\0';
    service_queue(service, 0, 0, ids[0]);
    service_queue(service, 0, 0, ids[1]);
    queue_worker_next(service->queue, 0, NULL);
    queue_worker_next(service->queue, 0, &succeeded);
    queue_worker_hand_back(service->queue, 0, false, NULL);
    store_flush(service->store);
    char a = ids[0][ID_BYTES - 2], b = ids[1][ID_BYTES - 2];
    snprintf(wanted, sizeof wanted, "%c:queued %c:queued %c:running %c:succeeded %c:running %c:queued ", a, b,
             a, a, b, b);
    assert_string_equal(notified, wanted);
}

/* ---- the disk ---- */

static void what_cannot_be_stored_is_not_queued(void **state)
{
    (void)state;
    struct service service;
    struct error error = {0};
    struct plain submission = service_request(0, 0);
    char id[ID_BYTES], done[ID_BYTES];
    powercut_register();
    service_init(&service, POWERCUT_HONEST);
    service_start(&service);
    service_queue(&service, 0, 9, done);
    service_queue(&service, 0, 0, id);
    queue_worker_next(service.queue, 0, NULL);
    store_flush(service.store);

    powercut_fill(true);
    struct submitted submitted = service_submit(&service, &submission);
    assert_int_equal(submitted.outcome, SUBMITTED_FAILED);
    assert_int_equal(submitted.error.kind, ERROR_STORE);
    /* The cancellation is answered with the failure, and the experiment waits as before. */
    assert_int_equal(service_cancel(&service, id, &error), -1);
    assert_int_equal(error.kind, ERROR_STORE);
    struct queue_position position;
    assert_int_equal(queue_view_position(service.queue, id, &position), 1);
    /* What the worker did is not lost, and it gets nothing until the disk is back. */
    assert_null(queue_worker_next(service.queue, 0, &succeeded));
    assert_false(store_healthy(service.store, NULL));
    assert_false(queue_worker_wait(service.queue, 0, 1));
    assert_null(queue_worker_next(service.queue, 0, NULL));
    powercut_fill(false);
    assert_true(queue_worker_wait(service.queue, 0, 60000));
    assert_string_equal(queue_worker_next(service.queue, 0, NULL)->id, id);
    assert_int_equal(service_submit(&service, &submission).outcome, SUBMITTED_NEW);
    assert_int_equal(service_state(&service, done), JOB_SUCCEEDED);
    assert_int_equal(service_state(&service, id), JOB_RUNNING);
    struct device_stats stats;
    queue_view_device(service.queue, 0, &stats);
    assert_int_equal(stats.queued, 1);
    service_end(&service);
    powercut_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_oldest_runs_first_within_a_priority_and_higher_ones_before,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(a_device_takes_only_its_own, service_setup, service_teardown),
        cmocka_unit_test(positions_in_the_order_are_as_if_sorted),
        cmocka_unit_test_setup_teardown(a_position_counts_what_runs_and_what_is_before, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(the_age_of_the_oldest_that_waits_does_not_depend_on_the_order,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(each_change_is_stored, service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(a_full_queue_refuses_and_accepts_again, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(one_key_is_one_experiment_however_many_submit_it_at_once,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(what_many_submit_runs_once_each, service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(changes_are_notified_in_their_order_after_the_commit, service_setup,
                                        service_teardown),
        cmocka_unit_test(what_cannot_be_stored_is_not_queued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

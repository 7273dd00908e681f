/* How experiments leave the queue: by cancellation, by being handed back too often, by the service's end. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <cmocka.h>
#include <jansson.h>

#include "api/sweep.h"
#include "base/clock.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"
#include "tests/unit/support/store_fixture.h"

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};

static void assert_ended(struct service *service, const char *id, enum job_state state, enum error_kind kind)
{
    struct job *job = service_get(service, id);
    assert_int_equal(job->state, state);
    assert_int_equal(job->failure.kind, kind);
    assert_true(kind == ERROR_NONE || job->failure.text[0]);
    assert_true(job->finished_ms > 0);
    job_free(job);
}

static bool poked(struct service *service, int device)
{
    eventfd_t count;
    return eventfd_read(queue_worker_wake_fd(service->queue, device), &count) == 0;
}

/* ---- cancelling ---- */

static void what_waits_is_cancelled_at_once(void **state)
{
    struct service *service = *state;
    char first[ID_BYTES], second[ID_BYTES];
    struct error error = {0};
    service_queue(service, 0, 0, first);
    service_queue(service, 0, 0, second);
    assert_int_equal(service_cancel(service, first, &error), 0);
    struct job *job = NULL;
    assert_int_equal(store_get(service->store, first, &job, NULL), 0);
    assert_int_equal(job->state, JOB_CANCELLED);
    job_free(job);
    assert_ended(service, first, JOB_CANCELLED, ERROR_CANCELLED);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, second);
    assert_false(queue_view_cancelled(service->queue, 0));
    assert_int_equal(service_cancel(service, first, &error), -1);
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
}

static void what_runs_is_notified_of_its_cancellation(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES], next[ID_BYTES];
    service_queue(service, 1, 0, id);
    service_queue(service, 1, 0, next);
    queue_worker_next(service->queue, 1, NULL);
    assert_false(queue_view_cancelled(service->queue, 1));
    assert_false(poked(service, 1));
    assert_int_equal(service_cancel(service, id, NULL), 0);
    assert_true(poked(service, 1));
    assert_false(poked(service, 0));
    assert_true(queue_view_cancelled(service->queue, 1));
    assert_int_equal(service_state(service, id), JOB_RUNNING);
    struct error failure = {.kind = ERROR_CANCELLED, .text = "cancelled"};
    const struct ending ending = {.state = JOB_CANCELLED, .failure = &failure};
    assert_string_equal(queue_worker_next(service->queue, 1, &ending)->id, next);
    assert_ended(service, id, JOB_CANCELLED, ERROR_CANCELLED);
    assert_false(queue_view_cancelled(service->queue, 1));
}

/* Between its end and the commit the store still says that it runs. */
static void what_has_just_ended_cannot_be_cancelled(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    struct test_write hold;
    struct error error = {0};
    service_queue(service, 0, 0, id);
    queue_worker_next(service->queue, 0, NULL);
    fixture_hold(service->store, &hold);
    queue_worker_next(service->queue, 0, &succeeded);
    assert_int_equal(service_cancel(service, id, &error), -1);
    assert_int_equal(error.kind, ERROR_CONFLICT);
    fixture_release(service->store, &hold);
    assert_ended(service, id, JOB_SUCCEEDED, ERROR_NONE);
}

/* ---- looking up a key while the queue is full ---- */

static void on_answer(void *arg, const struct submitted *submitted)
{
    *(struct submitted *)arg = *submitted;
}

static void what_is_refused_does_not_count_while_its_key_is_looked_up(void **state)
{
    struct service *service = *state;
    struct sweep_experiment runs[40];
    struct submitted answer = {0};
    struct test_write hold;
    struct error error = {0};
    service_stop(service);
    service->config.owner_limit = 50;
    service_start(service);
    for (int i = 0; i < 40; i++)
        runs[i] = (struct sweep_experiment){
            .kernel = "copy", .devices = device_set_of(0), .timeout_s = 1, .request = "{}", .points = 1};
    struct sweep sweep = {.experiments = runs, .experiment_count = 40, .rounds = 1};
    struct queue_submission submission = {.sweep = &sweep, .owner = "a", .request = "{}", .fingerprint = ""};
    assert_int_equal(service_submit_sweep(service, &submission).outcome, SUBMITTED_NEW);
    submission.idempotency_key = "key";
    fixture_hold(service->store, &hold);
    assert_int_equal(queue_submit(service->queue, &submission, on_answer, &answer, &error), 0);
    double wait_s = queue_limits_wait_s(service->queue, "b", 30, 30);
    fixture_release(service->store, &hold);
    assert_true(wait_s == 0);
    assert_int_equal(answer.outcome, SUBMITTED_FAILED);
    assert_int_equal(answer.error.kind, ERROR_FULL);
    assert_true(queue_limits_wait_s(service->queue, "b", 30, 30) == 0);
}

/* ---- handing back ---- */

static void what_is_handed_back_is_next_again(void **state)
{
    struct service *service = *state;
    char first[ID_BYTES], second[ID_BYTES];
    service_queue(service, 0, 0, first);
    service_queue(service, 0, 0, second);
    for (int i = 0; i < 5; i++) {
        const struct task *task = queue_worker_next(service->queue, 0, NULL);
        assert_string_equal(task->id, first);
        assert_int_equal(task->attempt, 1);
        queue_worker_hand_back(service->queue, 0, false, NULL);
    }
    struct job *job = service_get(service, first);
    assert_int_equal(job->state, JOB_QUEUED);
    assert_int_equal(job->attempt, 0);
    assert_int_equal(job->started_ms, 0);
    job_free(job);
}

/* Whatever bytes, and cut in the middle of a character: those of an ssh or srun of any language. */
static void why_a_run_was_lost_is_stored_as_text(void **state)
{
    struct service *service = *state;
    static char lengthy[10000];
    static const struct {
        const char *said, *stored;
    } cases[] = {
        {"a \"quoted\" \\ line\n\t\x01 end", "a \"quoted\" \\ line\n\t\x01 end"},
        {"caf\xe9", "caf\xef\xbf\xbd"},
        {"cut \xc3", "cut \xef\xbf\xbd"},
        {"", ""},
        {"'; DROP TABLE experiments; --", "'; DROP TABLE experiments; --"},
        {lengthy, NULL},
    };
    memset(lengthy, 'x', sizeof lengthy - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[ID_BYTES];
        service_queue(service, 0, 0, id);
        for (int lost = 0; lost < 2; lost++) {
            assert_non_null(queue_worker_next(service->queue, 0, NULL));
            queue_worker_hand_back(service->queue, 0, true, cases[i].said);
        }
        struct job *job = service_get(service, id);
        json_t *list = json_loads(job->lost, 0, NULL);
        assert_int_equal(json_array_size(list), 2);
        const char *why = json_string_value(json_object_get(json_array_get(list, 1), "why"));
        assert_non_null(why);
        if (cases[i].stored)
            assert_string_equal(why, cases[i].stored);
        json_decref(list);
        job_free(job);
        assert_int_equal(service_cancel(service, id, NULL), 0);
    }
}

static void counted_attempts_have_an_end(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    service_queue(service, 0, 0, id);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(queue_worker_next(service->queue, 0, NULL)->attempt, i);
        queue_worker_hand_back(service->queue, 0, true, NULL);
    }
    assert_null(queue_worker_next(service->queue, 0, NULL));
    assert_ended(service, id, JOB_FAILED, ERROR_ABANDONED);
}

static void what_is_cancelled_while_it_runs_is_not_queued_again(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    service_queue(service, 0, 0, id);
    queue_worker_next(service->queue, 0, NULL);
    service_cancel(service, id, NULL);
    queue_worker_hand_back(service->queue, 0, false, NULL);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    assert_ended(service, id, JOB_CANCELLED, ERROR_CANCELLED);
}

/* ---- the service's own end ---- */

static void restart(struct service *service)
{
    service_stop(service);
    service_start(service);
}

static void what_ran_when_the_service_died_is_queued_again_and_counted(void **state)
{
    struct service *service = *state;
    char low[ID_BYTES], high[ID_BYTES], first[ID_BYTES];
    service_queue(service, 0, 0, first);
    queue_worker_next(service->queue, 0, NULL);
    service_queue(service, 0, -5, low);
    service_queue(service, 0, 5, high);
    restart(service);
    assert_int_equal(service_state(service, first), JOB_QUEUED);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, high);
    const struct task *task = queue_worker_next(service->queue, 0, &succeeded);
    assert_string_equal(task->id, first);
    assert_int_equal(task->attempt, 2);
    assert_string_equal(task->request, service_request(0, 0).request);
    assert_string_equal(queue_worker_next(service->queue, 0, &succeeded)->id, low);
    assert_null(queue_worker_next(service->queue, 0, &succeeded));
    restart(service);
    assert_null(queue_worker_next(service->queue, 0, NULL));
}

static void an_experiment_under_which_the_service_dies_three_times_is_failed(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    service_queue(service, 0, 0, id);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(queue_worker_next(service->queue, 0, NULL)->attempt, i);
        restart(service);
    }
    assert_null(queue_worker_next(service->queue, 0, NULL));
    assert_ended(service, id, JOB_FAILED, ERROR_ABANDONED);
}

static void experiments_of_a_device_that_is_gone_are_failed(void **state)
{
    struct service *service = *state;
    char zero[ID_BYTES], one[ID_BYTES], ran[ID_BYTES];
    service_queue(service, 1, 1, ran);
    queue_worker_next(service->queue, 1, NULL);
    service_queue(service, 0, 0, zero);
    service_queue(service, 1, 0, one);
    service_stop(service);
    service->config.devices = 1;
    service_start(service);
    assert_ended(service, one, JOB_FAILED, ERROR_DEVICE_LOST);
    assert_ended(service, ran, JOB_FAILED, ERROR_DEVICE_LOST);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, zero);
}

static void used_is(void *arg, const char *owner, double used_s, int64_t at_ms)
{
    assert_string_equal(owner, "ada");
    assert_true(at_ms > 0);
    *(double *)arg = used_s;
}

static double used_by_ada(struct service *service)
{
    struct error error = {0};
    double used_s = 0;
    assert_int_equal(store_shares(service->store, used_is, &used_s, &error), 0);
    return used_s;
}

/* A run that the end of the service cut short is charged until the last change in the store, at most for its time
   limit; the time for which the service was down is not charged. */
static void a_run_that_the_service_dies_under_is_paid_for(void **state)
{
    struct service *service = *state;
    struct plain plain = service_request(0, 0);
    double before_s;
    plain.owner = "ada";
    plain.timeout_s = 0.2;
    assert_int_equal(service_submit(service, &plain).outcome, SUBMITTED_NEW);
    const int known_ms[] = {0, 60, 300};
    for (int i = 0; i < 3; i++) {
        double known_s = known_ms[i] < 200 ? known_ms[i] / 1e3 : 0.2;
        before_s = i ? used_by_ada(service) : 0;
        assert_non_null(queue_worker_next(service->queue, 0, NULL));
        poll(NULL, 0, known_ms[i]);
        if (known_ms[i]) {
            struct plain later = service_request(1, 0);
            later.owner = "ada";
            assert_int_equal(service_submit(service, &later).outcome, SUBMITTED_NEW);
        }
        service_stop(service);
        poll(NULL, 0, 300);
        service_start(service);
        double charged_s = used_by_ada(service) - before_s;
        assert_true(charged_s > known_s - 0.01);
        assert_true(charged_s < (known_ms[i] ? 0.2 + 1e-9 : 0.05));
    }
}

static void *stop_soon(void *arg)
{
    struct service *service = arg;
    poll(NULL, 0, 30);
    queue_stop(service->queue);
    return NULL;
}

static void a_stop_wakes_the_workers_and_refuses_all_else(void **state)
{
    struct service *service = *state;
    char first[ID_BYTES], second[ID_BYTES];
    pthread_t thread;
    pthread_create(&thread, NULL, stop_soon, service);
    assert_false(queue_worker_wait(service->queue, 1, 10000));
    pthread_join(thread, NULL);
    assert_true(queue_view_stopping(service->queue));
    assert_true(poked(service, 0) && poked(service, 1));
    struct plain submission = service_request(0, 0);
    assert_int_equal(service_submit(service, &submission).error.kind, ERROR_UNAVAILABLE);

    restart(service);
    service_queue(service, 0, 0, first);
    service_queue(service, 0, 0, second);
    queue_worker_next(service->queue, 0, NULL);
    queue_stop(service->queue);
    assert_false(queue_worker_wait(service->queue, 0, -1));
    /* What runs may end; nothing is taken after it. */
    assert_null(queue_worker_next(service->queue, 0, &succeeded));
    assert_int_equal(service_state(service, second), JOB_QUEUED);
    assert_ended(service, first, JOB_SUCCEEDED, ERROR_NONE);
}

static void *submit_soon(void *arg)
{
    char id[ID_BYTES];
    poll(NULL, 0, 30);
    service_queue(arg, 0, 0, id);
    return NULL;
}

static void a_waiting_worker_is_woken_by_work_or_time(void **state)
{
    struct service *service = *state;
    int64_t begun_ns = clock_monotonic_ns();
    assert_false(queue_worker_wait(service->queue, 0, 20));
    assert_true(clock_monotonic_ns() - begun_ns >= 20000000);
    pthread_t thread;
    pthread_create(&thread, NULL, submit_soon, service);
    assert_true(queue_worker_wait(service->queue, 0, -1));
    pthread_join(thread, NULL);
    assert_true(queue_worker_wait(service->queue, 0, 0));
    assert_false(queue_worker_wait(service->queue, 1, 0));
}

static void on_cancelled(void *arg, const struct error *failed)
{
    assert_null(failed);
    sem_post(arg);
}

/* Between the request and its commit. */
static void what_is_handed_back_while_its_sweep_is_cancelled_ends_when_it_is_taken_again(void **state)
{
    struct service *service = *state;
    static const char *const requests[] = {"{}", "{}"};
    static struct test_write hold;
    char id[ID_BYTES], run[ID_BYTES];
    sem_t cancelled;
    sem_init(&cancelled, 0, 0);
    service_sweep(service, requests, 2, 60, id);
    const struct task *task = queue_worker_next(service->queue, 0, NULL);
    memcpy(run, task->id, ID_BYTES);
    assert_true(queue_worker_begun(service->queue, 0));
    fixture_hold(service->store, &hold);
    assert_int_equal(queue_cancel_sweep(service->queue, id, "", on_cancelled, &cancelled, NULL), 0);
    assert_false(queue_view_cancelled(service->queue, 0));
    queue_worker_hand_back(service->queue, 0, false, NULL);
    fixture_release(service->store, &hold);
    sem_wait(&cancelled);
    sem_destroy(&cancelled);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    assert_true(queue_view_cancelled(service->queue, 0));
    queue_worker_hand_back(service->queue, 0, false, NULL);
    assert_int_equal(service_state(service, run), JOB_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_is_handed_back_while_its_sweep_is_cancelled_ends_when_it_is_taken_again, service_setup,
            service_teardown),
        cmocka_unit_test_setup_teardown(what_waits_is_cancelled_at_once, service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(what_runs_is_notified_of_its_cancellation, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(what_has_just_ended_cannot_be_cancelled, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(what_is_refused_does_not_count_while_its_key_is_looked_up,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(what_is_handed_back_is_next_again, service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(why_a_run_was_lost_is_stored_as_text, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(counted_attempts_have_an_end, service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(what_is_cancelled_while_it_runs_is_not_queued_again, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(what_ran_when_the_service_died_is_queued_again_and_counted,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(an_experiment_under_which_the_service_dies_three_times_is_failed,
                                        service_setup, service_teardown),
        cmocka_unit_test_setup_teardown(a_run_that_the_service_dies_under_is_paid_for, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(experiments_of_a_device_that_is_gone_are_failed, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(a_stop_wakes_the_workers_and_refuses_all_else, service_setup,
                                        service_teardown),
        cmocka_unit_test_setup_teardown(a_waiting_worker_is_woken_by_work_or_time, service_setup,
                                        service_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

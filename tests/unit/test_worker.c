/* A worker with its real queue and store, and an executor that misbehaves: whatever it does, every experiment
   gets its end, and only its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/devices/worker.h"
#include "tests/unit/support/service.h"

enum { WITHIN_S = 20 };

struct fixture {
    struct service service;
    struct devices *devices;
    struct worker *worker;
    struct worker_config config;
    const char *argv[8];
    char starts[SCRATCH_BYTES + 16];
    /* The first end that is told of keeps the store's writer busy until somebody posts. */
    atomic_bool hold;
    sem_t held, release;
};

static char fake[4096];

static void on_change(void *arg, const char *id, enum job_state state)
{
    struct fixture *f = arg;
    (void)id;
    if (job_state_ended(state) && atomic_exchange(&f->hold, false)) {
        sem_post(&f->held);
        sem_wait(&f->release);
    }
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    service_init(&f->service, NULL);
    f->service.config.devices = 1;
    f->service.config.changed = on_change;
    f->service.config.changed_arg = f;
    sem_init(&f->held, 0, 0);
    sem_init(&f->release, 0, 0);
    f->devices = devices_new(1);
    f->argv[0] = fake;
    f->argv[1] = "--executor";
    f->config = (struct worker_config){.executor_command = f->argv,
                                       .spec = "auto:0",
                                       .lock_dir = f->service.directory,
                                       .idle_s = 60,
                                       .grace_s = 5,
                                       .hello_s = 5};
    snprintf(f->starts, sizeof f->starts, "%s/starts", f->service.directory);
    *state = f;
    return 0;
}

static void stop_worker(struct fixture *f)
{
    if (!f->worker)
        return;
    queue_stop(f->service.queue);
    worker_stop(f->worker);
    f->worker = NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    stop_worker(f);
    service_end(&f->service);
    devices_free(f->devices);
    sem_destroy(&f->held);
    sem_destroy(&f->release);
    free(f);
    return 0;
}

static void begin(struct fixture *f)
{
    struct error error = {0};
    service_start(&f->service);
    if (worker_start(&f->worker, 0, &f->config, f->service.queue, f->devices, &error) < 0)
        fail_msg("%s", error.text);
}

/* The fake's behaviour from its start. */
static void misbehave(struct fixture *f, const char *mode)
{
    f->argv[2] = "--fake";
    f->argv[3] = mode;
    f->argv[4] = "--starts";
    f->argv[5] = f->starts;
}

static void submit(struct fixture *f, const char *behaviour, double timeout_s, char id[ID_BYTES])
{
    char request[128];
    struct plain submission = service_request(0, 0);
    snprintf(request, sizeof request, "{\"kernel\":\"copy\",\"labels\":{\"fake\":\"%s\"}}", behaviour);
    submission.request = request;
    submission.timeout_s = timeout_s;
    struct submitted submitted = service_submit(&f->service, &submission);
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("not queued: %s", submitted.error.text);
    memcpy(id, submitted.id, ID_BYTES);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The job, once it is in that state; to be freed. */
static struct job *wait_for(struct fixture *f, const char *id, enum job_state wanted)
{
    int64_t until = clock_monotonic_ns() + WITHIN_S * INT64_C(1000000000);
    for (;;) {
        struct job *job = service_get(&f->service, id);
        if (job->state == wanted)
            return job;
        if (job_state_ended(job->state) || clock_monotonic_ns() > until)
            fail_msg("%s instead of %s: %s", job_state_name(job->state), job_state_name(wanted),
                     job->failure.text);
        job_free(job);
        pause_ms(5);
    }
}

static void succeeds(struct fixture *f, const char *id)
{
    struct job *job = wait_for(f, id, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, 1);
    assert_int_equal(job->failure.kind, ERROR_NONE);
    assert_non_null(strstr(job->result, "\"verified\":true"));
    job_free(job);
}

static void fails(struct fixture *f, const char *id, enum error_kind kind, const char *text)
{
    struct job *job = wait_for(f, id, JOB_FAILED);
    assert_int_equal(job->attempt, 1);
    if (job->failure.kind != kind || !strstr(job->failure.text, text))
        fail_msg("%s: %s", error_kind_name(job->failure.kind), job->failure.text);
    job_free(job);
}

static struct device_status wait_for_health(struct fixture *f)
{
    struct device_status status;
    for (int tries = 0; tries < 1000; tries++, pause_ms(5)) {
        assert_true(devices_get(f->devices, 0, &status));
        if (status.healthy)
            return status;
    }
    fail_msg("the device stayed unhealthy: %s", status.reason);
    return status;
}

static void experiments_run_one_after_the_other_with_one_executor(void **state)
{
    enum { COUNT = 30 };
    struct fixture *f = *state;
    char ids[COUNT][ID_BYTES];
    begin(f);
    for (int i = 0; i < COUNT; i++)
        submit(f, "nothing", 10, ids[i]);
    for (int i = 0; i < COUNT; i++)
        succeeds(f, ids[i]);
    struct device_status status = wait_for_health(f);
    assert_int_equal(status.runs, COUNT);
    assert_int_equal(status.failures, 0);
}

static void the_next_experiment_runs_while_the_last_ones_end_is_being_written(void **state)
{
    struct fixture *f = *state;
    char first[ID_BYTES], second[ID_BYTES];
    struct device_status status = {0};
    atomic_store(&f->hold, true);
    service_start(&f->service);
    submit(f, "nothing", 10, first);
    submit(f, "nothing", 10, second);
    worker_start(&f->worker, 0, &f->config, f->service.queue, f->devices, NULL);
    sem_wait(&f->held);
    for (int tries = 0; status.runs < 2 && tries < 1000; tries++, pause_ms(5))
        devices_get(f->devices, 0, &status);
    sem_post(&f->release);
    assert_int_equal(status.runs, 2);
    succeeds(f, first);
    succeeds(f, second);
}

static void an_executor_that_crashes_costs_its_own_experiment_alone(void **state)
{
    static const struct {
        const char *behaviour;
        enum error_kind kind; /* ERROR_NONE: it succeeds */
        const char *text;
    } cases[] = {
        {"nothing", ERROR_NONE, ""},           {"crash", ERROR_CRASHED, "SIGSEGV"},
        {"nothing", ERROR_NONE, ""},           {"rubbish", ERROR_CRASHED, "broke the protocol"},
        {"exit", ERROR_CRASHED, "status 7"},   {"cuda_error", ERROR_CUDA, "made up"},
        {"nothing", ERROR_NONE, ""},           {"out_of_memory", ERROR_OUT_OF_MEMORY, "made up"},
        {"orphan", ERROR_CRASHED, "status 7"}, {"then_dies", ERROR_NONE, ""},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    struct fixture *f = *state;
    char ids[COUNT][ID_BYTES], last[ID_BYTES];
    begin(f);
    for (int i = 0; i < COUNT; i++)
        submit(f, cases[i].behaviour, 10, ids[i]);
    for (int i = 0; i < COUNT; i++)
        if (cases[i].kind == ERROR_NONE)
            succeeds(f, ids[i]);
        else
            fails(f, ids[i], cases[i].kind, cases[i].text);
    pause_ms(200); /* the last one's executor dies idle meanwhile */
    submit(f, "nothing", 10, last);
    succeeds(f, last);
}

static void an_executor_that_hangs_is_killed_and_the_next_experiment_runs(void **state)
{
    struct fixture *f = *state;
    char hanging[ID_BYTES], next[ID_BYTES];
    begin(f);
    submit(f, "hang", 0.2, hanging);
    submit(f, "nothing", 10, next);
    fails(f, hanging, ERROR_TIMED_OUT, "timeout_s of 0.2 s");
    succeeds(f, next);
}

/* The fault may be of those that were counted with it: it runs again alone, and no attempt is counted. So do those after it,
   or the one at fault would cost each of them a run. */
static void a_fault_in_company_costs_no_experiment(void **state)
{
    static const char *const behaviours[] = {"ask_crash", "ask_hang", "ask_cuda_error", "ask"};
    enum { COUNT = sizeof behaviours / sizeof behaviours[0] };
    struct fixture *f = *state;
    char texts[COUNT][96], id[ID_BYTES];
    const char *requests[COUNT];
    struct sweep_row row = {0};
    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "{\"kernel\":\"copy\",\"labels\":{\"fake\":\"%s\"}}",
                 behaviours[i]);
        requests[i] = texts[i];
    }
    begin(f);
    service_sweep(&f->service, requests, COUNT, 0.3, id);
    for (int tries = 0; tries < WITHIN_S * 200 && row.states[JOB_SUCCEEDED] < COUNT; tries++, pause_ms(5)) {
        sweep_row_clear(&row);
        assert_int_equal(store_sweep(f->service.store, id, &row, NULL), 0);
        assert_int_equal(row.states[JOB_FAILED] + row.states[JOB_CANCELLED], 0);
    }
    assert_int_equal(row.states[JOB_SUCCEEDED], COUNT);
    sweep_row_clear(&row);
    struct device_status status = wait_for_health(f);
    assert_int_equal(status.runs, COUNT + 1);
    assert_int_equal(status.failures, 1);
}

static void an_incorrect_output_fails_with_its_result_kept(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    begin(f);
    submit(f, "incorrect", 10, id);
    struct job *job = wait_for(f, id, JOB_FAILED);
    assert_int_equal(job->failure.kind, ERROR_INCORRECT);
    assert_non_null(strstr(job->result, "\"mismatches\":3"));
    job_free(job);
}

static void a_cancelled_experiment_is_ended_while_it_runs_and_the_next_runs(void **state)
{
    struct fixture *f = *state;
    char hanging[ID_BYTES], next[ID_BYTES];
    begin(f);
    submit(f, "hang", 60, hanging);
    submit(f, "nothing", 10, next);
    job_free(wait_for(f, hanging, JOB_RUNNING));
    assert_int_equal(service_cancel(&f->service, hanging, NULL), 0);
    struct job *job = wait_for(f, hanging, JOB_CANCELLED);
    assert_int_equal(job->failure.kind, ERROR_CANCELLED);
    job_free(job);
    succeeds(f, next);
}

static void a_stop_lets_the_running_experiment_end_and_leaves_the_others_queued(void **state)
{
    struct fixture *f = *state;
    char slow[ID_BYTES], waiting[ID_BYTES];
    begin(f);
    submit(f, "slow", 10, slow);
    submit(f, "nothing", 10, waiting);
    job_free(wait_for(f, slow, JOB_RUNNING));
    stop_worker(f);
    succeeds(f, slow);
    struct job *job = wait_for(f, waiting, JOB_QUEUED);
    assert_int_equal(job->attempt, 0);
    job_free(job);
}

static void a_stop_hands_a_long_experiment_back_without_counting_the_attempt(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.grace_s = 0.1;
    begin(f);
    submit(f, "stubborn", 60, id);
    job_free(wait_for(f, id, JOB_RUNNING));
    stop_worker(f);
    struct job *job = wait_for(f, id, JOB_QUEUED);
    assert_int_equal(job->attempt, 0);
    job_free(job);
}

static void a_device_that_does_not_start_keeps_its_queue_until_it_does(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    misbehave(f, "exit:1");
    begin(f);
    struct device_status status;
    do {
        pause_ms(5);
        devices_get(f->devices, 0, &status);
    } while (!strstr(status.reason, "no such device"));
    submit(f, "nothing", 10, id);
    assert_int_equal(service_state(&f->service, id), JOB_QUEUED);
    succeeds(f, id);
    wait_for_health(f);
}

static void a_stop_does_not_wait_for_a_device_that_does_not_start(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    misbehave(f, "no_hello");
    f->config.hello_s = 60;
    begin(f);
    submit(f, "nothing", 10, id);
    pause_ms(50);
    int64_t start = clock_monotonic_ns();
    stop_worker(f);
    assert_true(clock_monotonic_ns() - start < INT64_C(3000000000));
    assert_int_equal(service_state(&f->service, id), JOB_QUEUED);
}

static void an_executor_that_dies_without_work_is_replaced_without_work(void **state)
{
    struct fixture *f = *state;
    begin(f);
    struct device_status before = wait_for_health(f), after;
    kill(before.executor, SIGKILL);
    for (int tries = 0; tries < 1000; tries++, pause_ms(5)) {
        devices_get(f->devices, 0, &after);
        if (after.executor && after.executor != before.executor)
            break;
    }
    assert_int_not_equal(after.executor, 0);
    assert_int_not_equal(after.executor, before.executor);
}

static void a_probe_tells_how_many_devices_there_are(void **state)
{
    struct fixture *f = *state;
    service_start(&f->service);
    assert_int_equal(worker_probe(&f->config, NULL), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(experiments_run_one_after_the_other_with_one_executor),
        TEST(the_next_experiment_runs_while_the_last_ones_end_is_being_written),
        TEST(an_executor_that_crashes_costs_its_own_experiment_alone),
        TEST(an_executor_that_hangs_is_killed_and_the_next_experiment_runs),
        TEST(a_fault_in_company_costs_no_experiment),
        TEST(an_incorrect_output_fails_with_its_result_kept),
        TEST(a_cancelled_experiment_is_ended_while_it_runs_and_the_next_runs),
        TEST(a_stop_lets_the_running_experiment_end_and_leaves_the_others_queued),
        TEST(a_stop_hands_a_long_experiment_back_without_counting_the_attempt),
        TEST(a_device_that_does_not_start_keeps_its_queue_until_it_does),
        TEST(a_stop_does_not_wait_for_a_device_that_does_not_start),
        TEST(an_executor_that_dies_without_work_is_replaced_without_work),
        TEST(a_probe_tells_how_many_devices_there_are),
    };
    /* The fake stands beside this program. */
    ssize_t length = readlink("/proc/self/exe", fake, sizeof fake - 32);
    if (length < 0)
        return 1;
    strcpy(strrchr(fake, '/'), "/fake_executor");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

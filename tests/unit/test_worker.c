/* A worker with its real queue and store, and an executor that misbehaves: whatever it does, every experiment
   gets its end, and only its own. */
#include "tests/faults/worked.h"

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
    worker_start(&f->worker, &f->config, &f->callbacks, f->service.queue, f->devices, NULL);
    sem_wait(&f->held);
    for (int tries = 0; status.runs < 2 && tries < 1000; tries++, pause_ms(5))
        devices_get(f->devices, 0, &status);
    sem_post(&f->release);
    assert_int_equal(status.runs, 2);
    succeeds(f, first);
    succeeds(f, second);
}

/* Nobody is idle between experiments that follow each other, however short the idle time is. */
static void experiments_that_wait_follow_each_other_in_one_executor(void **state)
{
    struct fixture *f = *state;
    char slow[ID_BYTES], ids[5][ID_BYTES], line[128];
    long first = 0, pid, runs = 0;
    f->config.listing.idle_s = 0;
    begin(f);
    submit(f, "slow", 10, slow);
    for (int i = 0; i < 5; i++)
        submit(f, "nothing", 10, ids[i]);
    for (int i = 0; i < 5; i++)
        succeeds(f, ids[i]);
    FILE *file = fopen(f->work_log, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "run %ld", &pid) == 1) {
            first = first ? first : pid;
            assert_int_equal(pid, first);
            runs++;
        }
    assert_non_null(file);
    fclose(file);
    assert_int_equal(runs, 6);
}

static void on_held(void *arg, const struct error *failed)
{
    assert_null(failed);
    sem_post(arg);
}

static void a_device_that_is_drained_is_left_empty_until_it_is_resumed(void **state)
{
    struct fixture *f = *state;
    struct device_status status = {0};
    char before[ID_BYTES], after[ID_BYTES];
    sem_t done;
    sem_init(&done, 0, 0);
    begin(f);
    submit(f, "nothing", 10, before);
    succeeds(f, before);
    assert_true(devices_get(f->devices, 0, &status) && status.context);
    assert_int_equal(queue_admin_hold(f->service.queue, 0, true, "", NULL, on_held, &done, NULL), 0);
    sem_wait(&done);
    submit(f, "nothing", 10, after);
    for (int tries = 0; status.context && tries < 1000; tries++, pause_ms(5))
        devices_get(f->devices, 0, &status);
    assert_false(status.context);
    assert_int_equal(queue_admin_hold(f->service.queue, 0, false, "", NULL, on_held, &done, NULL), 0);
    sem_wait(&done);
    succeeds(f, after);
    sem_destroy(&done);
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

/* By the kernel when memory is short, an operator or a scheduler: the experiment is not to blame, unless
   it goes on so. */
static void an_executor_killed_from_outside_costs_an_attempt_and_no_experiment(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], doomed[ID_BYTES];
    misbehave(f, "mortal:1");
    begin(f);
    submit(f, "nothing", 10, id);
    struct job *job = wait_for(f, id, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, 2);
    job_free(job);
    submit(f, "killed", 10, doomed);
    job = wait_for(f, doomed, JOB_FAILED);
    assert_int_equal(job->attempt, 3);
    assert_int_equal(job->failure.kind, ERROR_ABANDONED);
    assert_non_null(strstr(job->failure.text, "given up after 3 attempts"));
    assert_non_null(strstr(job->failure.text, "killed by SIGKILL"));
    job_free(job);
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
    f->config.listing.start_s = 60;
    begin(f);
    submit(f, "nothing", 10, id);
    pause_ms(50);
    int64_t start = clock_monotonic_ns();
    stop_worker(f);
    assert_true(clock_monotonic_ns() - start < INT64_C(30000000000));
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
    assert_int_equal(supervisor_probe(&f->config, NULL, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORKED(experiments_run_one_after_the_other_with_one_executor),
        WORKED(the_next_experiment_runs_while_the_last_ones_end_is_being_written),
        WORKED(experiments_that_wait_follow_each_other_in_one_executor),
        WORKED(a_device_that_is_drained_is_left_empty_until_it_is_resumed),
        WORKED(an_executor_that_crashes_costs_its_own_experiment_alone),
        WORKED(an_executor_that_hangs_is_killed_and_the_next_experiment_runs),
        WORKED(an_executor_killed_from_outside_costs_an_attempt_and_no_experiment),
        WORKED(an_incorrect_output_fails_with_its_result_kept),
        WORKED(a_cancelled_experiment_is_ended_while_it_runs_and_the_next_runs),
        WORKED(a_stop_lets_the_running_experiment_end_and_leaves_the_others_queued),
        WORKED(a_stop_hands_a_long_experiment_back_without_counting_the_attempt),
        WORKED(a_device_that_does_not_start_keeps_its_queue_until_it_does),
        WORKED(a_stop_does_not_wait_for_a_device_that_does_not_start),
        WORKED(an_executor_that_dies_without_work_is_replaced_without_work),
        WORKED(a_probe_tells_how_many_devices_there_are),
    };
    worked_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

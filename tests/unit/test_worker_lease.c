/* Executors behind a command that is not our own program: the way to them breaks, swallows everything or is slow, they are
   asked to leave, they crash. Nothing is lost, and nothing runs twice at the same time: the work log has a line of an
   executor each 20 ms while it works.

   The way is two processes far away, which the end of the command here does not end: as a network they take no notice. */
#include "tests/faults/worked.h"

static char ways[SCRATCH_BYTES + 16]; /* the file with the process ids of those on the way */

static int set_up_remote(void **state)
{
    static const char script[] = "setsid sh -c 'echo $$ >>\"$WAYS\"; exec cat' | "
                                 "setsid \"$0\" \"$@\" --leased | "
                                 "setsid sh -c 'echo $$ >>\"$WAYS\"; exec cat'";
    set_up(state);
    struct fixture *f = *state;
    snprintf(ways, sizeof ways, "%s/ways", f->service.directory);
    setenv("WAYS", ways, 1);
    memmove(f->argv + 3, f->argv, 4 * sizeof f->argv[0]);
    f->argv[0] = "/bin/sh";
    f->argv[1] = "-c";
    f->argv[2] = script;
    f->config.listing.own = false;
    f->config.listing.release = true;
    f->config.listing.start_s = 20;
    f->config.heartbeat_s = 0.25;
    f->config.lost_s = 1;
    return 0;
}

/* Of the processes on the way since that one: sends each the signal; returns how many there are now. */
static int ways_signal(int since, int number)
{
    FILE *file = fopen(ways, "r");
    int count = 0;
    for (long pid; file && fscanf(file, "%ld", &pid) == 1; count++)
        if (count >= since && number)
            kill((pid_t)pid, number);
    if (file)
        fclose(file);
    return count;
}

static int tear_down_remote(void **state)
{
    int failed = 0;
    ways_signal(0, SIGKILL);
    failed = tear_down(state);
    return failed;
}

/* The executors that worked, each once, in order; `overlap`: one worked after the next one had begun. */
struct work_log {
    long pids[8];
    int count, lines;
    bool overlap;
};

static struct work_log work_log_read(struct fixture *f)
{
    struct work_log log = {0};
    char line[128];
    long pid;
    FILE *file = fopen(f->work_log, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "at %ld", &pid) != 1)
            continue;
        log.lines++;
        if (log.count && log.pids[log.count - 1] == pid)
            continue;
        for (int i = 0; i < log.count; i++)
            log.overlap |= log.pids[i] == pid;
        if (log.count < 8)
            log.pids[log.count++] = pid;
    }
    if (file)
        fclose(file);
    return log;
}

static struct work_log wait_until_it_works(struct fixture *f, int executors)
{
    struct work_log log;
    for (int tries = 0; tries < 4000; tries++, pause_ms(5))
        if ((log = work_log_read(f)).count == executors && log.lines > 3)
            return log;
    fail_msg("%d executors worked", log.count);
    return log;
}

static void succeeds_at(struct fixture *f, const char *id, int attempt, const char *why)
{
    struct job *job = wait_for(f, id, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, attempt);
    if (why && (!job->lost || !strstr(job->lost, why)))
        fail_msg("lost: %s", job->lost ? job->lost : "nothing");
    if (!why)
        assert_null(job->lost);
    job_free(job);
}

static void it_works_there_and_nothing_is_held_when_idle(void **state)
{
    struct fixture *f = *state;
    struct device_status status;
    char id[ID_BYTES];
    f->config.listing.idle_s = 0.2;
    begin(f);
    submit(f, "works", 10, id);
    succeeds_at(f, id, 1, NULL);
    do
        devices_get(f->devices, 0, &status);
    while (status.readiness != DEVICE_AWAY && (pause_ms(5), true));
    assert_true(status.healthy && status.known);
    assert_int_equal(status.executor, 0);
    assert_int_not_equal(kill((pid_t)work_log_read(f).pids[0], 0), 0);
}

static void a_network_that_swallows_everything_costs_an_attempt_and_runs_nothing_twice(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    begin(f);
    submit(f, "works_long_first", 100, id);
    wait_until_it_works(f, 1);
    ways_signal(0, SIGSTOP);
    wait_until_it_works(f, 2);
    ways_signal(0, SIGCONT); /* what was swallowed comes out again */
    succeeds_at(f, id, 2, "nothing was heard of the executor for 1 s");
    struct work_log log = work_log_read(f);
    assert_int_equal(log.count, 2);
    assert_false(log.overlap);
}

/* The end of the command here says nothing of the executor there. */
static void a_command_that_is_killed_costs_an_attempt_and_runs_nothing_twice(void **state)
{
    struct fixture *f = *state;
    struct device_status status;
    char id[ID_BYTES];
    f->config.lost_s = 4; /* longer than the pause before another start */
    begin(f);
    submit(f, "works_long_first", 100, id);
    wait_until_it_works(f, 1);
    ways_signal(0, SIGSTOP);
    devices_get(f->devices, 0, &status);
    kill(-status.executor, SIGKILL);
    succeeds_at(f, id, 2, "killed by SIGKILL");
    struct work_log log = work_log_read(f);
    assert_int_equal(log.count, 2);
    assert_false(log.overlap);
}

static void a_network_that_is_slow_costs_nothing(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.lost_s = 10;
    begin(f);
    submit(f, "works", 10, id);
    wait_until_it_works(f, 1);
    for (int i = 0; i < 4; i++, pause_ms(100)) {
        ways_signal(0, SIGSTOP);
        pause_ms(700);
        ways_signal(0, SIGCONT);
    }
    succeeds_at(f, id, 1, NULL);
}

static void sigterm_lets_what_runs_there_end_and_another_executor_takes_the_next(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], next[ID_BYTES];
    begin(f);
    submit(f, "works", 10, id);
    submit(f, "works", 10, next);
    struct work_log log = wait_until_it_works(f, 1);
    kill((pid_t)log.pids[0], SIGTERM);
    succeeds_at(f, id, 1, NULL);
    succeeds_at(f, next, 1, NULL);
    log = work_log_read(f);
    assert_int_equal(log.count, 2);
    assert_false(log.overlap);
}

/* It says that nothing runs there any more: no lease is waited for. */
static void what_sigterm_ends_goes_back_at_once(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.lost_s = 600;
    f->argv[7] = "--leave-seconds";
    f->argv[8] = "0.1";
    begin(f);
    submit(f, "works", 10, id);
    struct work_log log = wait_until_it_works(f, 1);
    kill((pid_t)log.pids[0], SIGTERM);
    succeeds_at(f, id, 2, "the executor left: SIGTERM");
    assert_false(work_log_read(f).overlap);
}

/* It is gone, or waits for its parent to hear of it. */
static bool has_ended(pid_t pid)
{
    char path[64], condition = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    int read = fscanf(file, "%*d (%*[^)]) %c", &condition);
    fclose(file);
    return read != 1 || condition == 'Z';
}

static void an_executor_that_leaves_without_work_costs_nothing(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], next[ID_BYTES];
    begin(f);
    submit(f, "works", 10, id);
    succeeds_at(f, id, 1, NULL);
    pid_t first = (pid_t)work_log_read(f).pids[0];
    kill(first, SIGTERM);
    for (int tries = 0; tries < 4000 && !has_ended(first); tries++) /* else it may still be given the next */
        pause_ms(5);
    assert_true(has_ended(first));
    submit(f, "works", 10, next);
    succeeds_at(f, next, 1, NULL);
}

static void a_command_that_ends_without_a_word_is_tried_again_and_then_given_up(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->argv[2] = "\"$0\" \"$@\" --leased; exit 255";
    begin(f);
    submit(f, "exit", 10, id);
    struct job *job = wait_for(f, id, JOB_FAILED);
    assert_int_equal(job->failure.kind, ERROR_ABANDONED);
    assert_non_null(strstr(job->failure.text, "exit status 255"));
    assert_int_equal(job->attempt, 3);
    job_free(job);
}

static void a_crash_there_fails_the_experiment_as_it_does_here(void **state)
{
    static const struct {
        const char *script, *behaviour, *text;
    } cases[] = {
        {"\"$0\" \"$@\" --leased", "crash", "status 139"},
        {"\"$0\" \"$@\" --leased; exit 3", "exit", "status 3"},
    };
    struct fixture *f = *state;
    char id[ID_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        f->argv[2] = cases[i].script;
        begin(f);
        submit(f, cases[i].behaviour, 10, id);
        fails(f, id, ERROR_CRASHED, cases[i].text);
        stop_worker(f);
        service_stop(&f->service);
    }
}

static void a_stop_leaves_it_to_the_next_start_to_wait_for_a_lease(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    struct device_status status;
    f->config.lost_s = 600;
    begin(f);
    submit(f, "works", 10, id);
    wait_until_it_works(f, 1);
    ways_signal(0, SIGSTOP);
    devices_get(f->devices, 0, &status);
    kill(-status.executor, SIGKILL);
    do
        devices_get(f->devices, 0, &status);
    while (status.healthy && (pause_ms(5), true));
    int64_t before = clock_monotonic_ns();
    stop_worker(f);
    assert_true(clock_monotonic_ns() - before < INT64_C(10000000000));
    job_free(wait_for(f, id, JOB_RUNNING)); /* as far as anybody knows */
}

/* It was taken out of the list meanwhile: others may have the experiment, but not earlier. */
static void a_device_that_leaves_waits_for_the_lease_of_what_it_lost(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    struct device_status status;
    f->config.lost_s = 4;
    begin(f);
    submit(f, "works", 30, id);
    wait_until_it_works(f, 1);
    ways_signal(0, SIGSTOP);
    int64_t unheard_ns = clock_monotonic_ns();
    devices_get(f->devices, 0, &status);
    kill(-status.executor, SIGKILL);
    do
        devices_get(f->devices, 0, &status);
    while (status.healthy && (pause_ms(5), true));
    worker_leave(f->worker);
    job_free(wait_for(f, id, JOB_QUEUED));
    assert_true(clock_monotonic_ns() - unheard_ns > INT64_C(3000000000));
}

#define REMOTE(name) cmocka_unit_test_setup_teardown(name, set_up_remote, tear_down_remote)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REMOTE(it_works_there_and_nothing_is_held_when_idle),
        REMOTE(a_network_that_swallows_everything_costs_an_attempt_and_runs_nothing_twice),
        REMOTE(a_command_that_is_killed_costs_an_attempt_and_runs_nothing_twice),
        REMOTE(a_network_that_is_slow_costs_nothing),
        REMOTE(sigterm_lets_what_runs_there_end_and_another_executor_takes_the_next),
        REMOTE(what_sigterm_ends_goes_back_at_once),
        REMOTE(an_executor_that_leaves_without_work_costs_nothing),
        REMOTE(a_command_that_ends_without_a_word_is_tried_again_and_then_given_up),
        REMOTE(a_crash_there_fails_the_experiment_as_it_does_here),
        REMOTE(a_stop_leaves_it_to_the_next_start_to_wait_for_a_lease),
        REMOTE(a_device_that_leaves_waits_for_the_lease_of_what_it_lost),
    };
    worked_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

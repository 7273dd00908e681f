/* How long a run may stay `running`, whatever its executor does: docs/devices.md has the promise. As told
   by the service's own times of the run's beginning and end. */
#include "tests/faults/worked.h"

/* The limit of a run here; what its executor's end may take: to leave, SIGTERM, SIGKILL; and the lease of
   one that is behind another command. */
static const double timeout_s = 0.5, end_s = 0.25 + 9, lost_s = 1, lease_s = 1 * 1.05 + 1;

/* What a busy machine may add. No run here needs all of the promise: a SIGKILL works at once, for which it
   has 5 s. */
static const double busy_s = 2;

static void ends_within(struct fixture *f, const char *behaviour, double promise_s)
{
    char id[ID_BYTES];
    submit(f, behaviour, timeout_s, id);
    struct job *job = wait_for(f, id, JOB_FAILED);
    double took_s = (double)(job->finished_ms - job->started_ms) / 1e3;
    if (getenv("TEST_VERBOSE"))
        print_message("%-12s %6.2f s of %5.2f s: %s\n", behaviour, took_s, promise_s, job->failure.text);
    if (took_s > promise_s + busy_s)
        fail_msg("%s: %g s, promised are %g s", behaviour, took_s, promise_s);
    job_free(job);
}

static const char *const evil[] = {
    "hang", "drip", "beats", "flood", "stubborn", "stopped", "half", "late_rubbish", "heir", "close_stdout",
};

static void on_this_machine_it_ends_with_its_time_and_that_of_its_executors_end(void **state)
{
    struct fixture *f = *state;
    begin(f);
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++)
        ends_within(f, evil[i], timeout_s + end_s);
}

static void remote_make(struct fixture *f, int attempts)
{
    f->config.listing.own = false;
    f->config.listing.release = true;
    f->config.listing.start_s = 20;
    f->config.heartbeat_s = 0.25;
    f->config.lost_s = lost_s;
    f->service.config.attempts = attempts;
    f->argv[1] = "--leased";
}

static void behind_another_command_it_ends_with_its_lease_at_the_latest(void **state)
{
    struct fixture *f = *state;
    remote_make(f, 1); /* what is lost has failed */
    begin(f);
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++)
        ends_within(f, evil[i], timeout_s + end_s + lease_s);
}

/* It answers nothing that it is asked, though it says hello. */
static void one_that_reads_nothing_ends_with_its_time(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "deaf");
    begin(f);
    ends_within(f, "nothing", timeout_s + end_s);
}

/* What it says after its answer is not heard for ever, and costs the next run nothing. */
static void a_flood_between_two_runs_holds_up_nothing(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], next[ID_BYTES];
    for (int remote = 0; remote < 2; remote++) {
        if (remote)
            remote_make(f, 3);
        begin(f);
        submit(f, "then_beats", 60, id);
        submit(f, "nothing", 60, next);
        job_free(wait_for(f, id, JOB_SUCCEEDED));
        job_free(wait_for(f, next, JOB_SUCCEEDED));
        stop_worker(f);
        service_stop(&f->service);
    }
}

/* It is tried again, but with pauses: each try is a connection, and two writes. */
static void a_command_that_takes_no_question_is_not_started_without_a_pause(void **state)
{
    struct fixture *f = *state;
    struct device_status status;
    char id[ID_BYTES];
    remote_make(f, 3);
    f->argv[1] = "--executor"; /* one with a thread that reads would hold the pipe */
    misbehave(f, "closed");
    begin(f);
    submit(f, "nothing", 60, id);
    int tries = 0;
    do
        devices_get(f->devices, 0, &status);
    while (status.readiness != DEVICE_UNHEALTHY && ++tries < 2000 && (pause_ms(5), true));
    assert_int_equal(status.readiness, DEVICE_UNHEALTHY);
    job_free(wait_for(f, id, JOB_QUEUED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORKED(on_this_machine_it_ends_with_its_time_and_that_of_its_executors_end),
        WORKED(behind_another_command_it_ends_with_its_lease_at_the_latest),
        WORKED(one_that_reads_nothing_ends_with_its_time),
        WORKED(a_flood_between_two_runs_holds_up_nothing),
        WORKED(a_command_that_takes_no_question_is_not_started_without_a_pause),
    };
    worked_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

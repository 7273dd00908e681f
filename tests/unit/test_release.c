/* A device that is let go when it is idle: no process without work, a start that is waited for, given up,
   failed. */
#include "tests/faults/worked.h"

static int set_up_released(void **state)
{
    set_up(state);
    struct fixture *f = *state;
    f->config.listing.own = false;
    f->config.listing.release = true;
    f->config.listing.idle_s = 0.2;
    f->config.listing.start_s = 30;
    f->config.heartbeat_s = 0.25;
    f->config.lost_s = 10;
    misbehave(f, "none"); /* counts its starts */
    return 0;
}

/* A file of that name in the test's directory. */
static const char *file_at(struct fixture *f, const char *name)
{
    static char path[SCRATCH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", f->service.directory, name);
    return path;
}

static void make(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

/* What runs before the fake, as a shell's script; "exec \"$0\" \"$@\"" becomes it. */
static void behind(struct fixture *f, const char *script)
{
    memmove(f->argv + 3, f->argv, 9 * sizeof f->argv[0]);
    f->argv[0] = "/bin/sh";
    f->argv[1] = "-c";
    f->argv[2] = script;
    setenv("GO", file_at(f, "go"), 1);
}

static long starts_of(struct fixture *f)
{
    FILE *file = fopen(f->starts, "r");
    long starts = 0;
    if (file) {
        fseek(file, 0, SEEK_END);
        starts = ftell(file);
        fclose(file);
    }
    return starts;
}

static struct device_status status_of(struct fixture *f)
{
    struct device_status status;
    assert_true(devices_get(f->devices, 0, &status));
    return status;
}

static struct device_status wait_for_readiness(struct fixture *f, enum device_readiness wanted)
{
    for (int tries = 0; tries < 4000; tries++, pause_ms(5))
        if (status_of(f).readiness == wanted)
            return status_of(f);
    fail_msg("it stayed at %d: %s", (int)status_of(f).readiness, status_of(f).reason);
    return status_of(f);
}

static void wait_for_reason(struct fixture *f, const char *wanted)
{
    for (int tries = 0; tries < 4000; tries++, pause_ms(5))
        if (strcmp(status_of(f).reason, wanted) == 0)
            return;
    fail_msg("%s", status_of(f).reason);
}

static void is_known(struct fixture *f)
{
    struct device_status status = {.known = true, .facts = {.uuid = "FAKE-0"}};
    devices_set(f->devices, 0, &status);
}

static void a_device_that_is_known_is_not_started_before_there_is_work(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    is_known(f);
    begin(f);
    pause_ms(800);
    struct device_status status = status_of(f);
    assert_int_equal(status.readiness, DEVICE_AWAY);
    assert_true(status.healthy && status.known);
    assert_int_equal(starts_of(f), 0);
    submit(f, "nothing", 10, id);
    succeeds(f, id);
    assert_int_equal(starts_of(f), 1);
    assert_true(status_of(f).executor_build[0]);
}

static void a_device_of_which_nothing_is_known_is_started_once_and_let_go(void **state)
{
    struct fixture *f = *state;
    begin(f);
    wait_for_health(f);
    struct device_status status = wait_for_readiness(f, DEVICE_AWAY);
    assert_true(status.known && status.healthy);
    assert_int_equal(status.executor, 0);
    pause_ms(800);
    assert_int_equal(starts_of(f), 1);
}

static void work_that_follows_soon_meets_the_same_executor(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.listing.idle_s = 30;
    is_known(f);
    begin(f);
    for (int i = 0; i < 3; i++) {
        submit(f, "nothing", 10, id);
        succeeds(f, id);
        pause_ms(50);
    }
    assert_int_equal(starts_of(f), 1);
    assert_true(status_of(f).context);
}

static void what_was_started_is_held_for_its_least_time(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.listing.hold_s = 2;
    is_known(f);
    begin(f);
    int64_t before = clock_monotonic_ns();
    submit(f, "nothing", 10, id);
    succeeds(f, id);
    wait_for_readiness(f, DEVICE_AWAY);
    assert_true(clock_monotonic_ns() - before >= INT64_C(2000000000));
}

static void on_held(void *arg, const struct error *failed)
{
    (void)arg;
    assert_null(failed);
}

static void a_drained_device_is_let_go_at_once(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.listing.idle_s = f->config.listing.hold_s = 600;
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    succeeds(f, id);
    assert_int_equal(queue_admin_hold(f->service.queue, 0, true, "", NULL, on_held, NULL, NULL), 0);
    wait_for_readiness(f, DEVICE_AWAY);
}

static const char waits[] = "echo 'srun: job 12 queued and waiting for resources' >&2; "
                            "while [ ! -e \"$GO\" ]; do sleep 0.02; done; exec \"$0\" \"$@\"";

/* However long that takes: its own time has not begun. */
static void an_experiment_is_queued_while_its_start_is_waited_for(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    behind(f, waits);
    is_known(f);
    begin(f);
    submit(f, "nothing", 0.3, id);
    wait_for_reason(f, "srun: job 12 queued and waiting for resources");
    assert_int_equal(status_of(f).readiness, DEVICE_STARTING);
    assert_true(status_of(f).healthy);
    pause_ms(1000);
    assert_int_equal(service_state(&f->service, id), JOB_QUEUED);
    make(file_at(f, "go"));
    succeeds(f, id);
    assert_string_equal(status_of(f).reason, "");
}

static void another_command_says_what_is_waited_for(void **state)
{
    static const char *const why[] = {"/bin/sh", "-c", "echo Resources; echo more; exec sleep 100", NULL};
    struct fixture *f = *state;
    char id[ID_BYTES];
    behind(f, waits);
    f->config.why = why;
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    wait_for_reason(f, "srun: job 12 queued and waiting for resources (Resources)");
    make(file_at(f, "go"));
    succeeds(f, id);
}

static void another_command_that_hangs_is_not_waited_for(void **state)
{
    static const char *const why[] = {"/bin/sleep", "100", NULL};
    struct fixture *f = *state;
    char id[ID_BYTES];
    behind(f, waits);
    f->config.why = why;
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    wait_for_reason(f, "srun: job 12 queued and waiting for resources");
    make(file_at(f, "go"));
    succeeds(f, id);
}

static void a_start_that_nobody_needs_any_more_is_given_up(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    behind(f, waits);
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    pid_t waiting = wait_for_readiness(f, DEVICE_STARTING).executor;
    assert_int_equal(service_cancel(&f->service, id, NULL), 0);
    struct device_status status = wait_for_readiness(f, DEVICE_AWAY);
    assert_true(status.healthy);
    assert_string_equal(status.reason, "");
    assert_int_not_equal(kill(waiting, 0), 0);
    assert_int_equal(starts_of(f), 0);
}

static void a_start_that_takes_too_long_is_tried_again_later(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    behind(f, waits);
    f->config.listing.start_s = 3;
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    struct device_status status = wait_for_readiness(f, DEVICE_UNHEALTHY);
    assert_non_null(strstr(status.reason, "no hello within 3 s"));
    assert_non_null(strstr(status.reason, "job 12 queued"));
    assert_int_equal(service_state(&f->service, id), JOB_QUEUED);
    make(file_at(f, "go"));
    succeeds(f, id);
    assert_true(status_of(f).healthy);
}

static void a_failed_start_is_left_alone_when_nobody_needs_it(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    misbehave(f, "exit");
    is_known(f);
    begin(f);
    submit(f, "nothing", 10, id);
    wait_for_readiness(f, DEVICE_UNHEALTHY);
    assert_int_equal(service_cancel(&f->service, id, NULL), 0);
    wait_for_readiness(f, DEVICE_AWAY);
    long starts = starts_of(f);
    pause_ms(1500);
    assert_int_equal(starts_of(f), starts);
    assert_false(status_of(f).healthy);
}

static void the_one_that_counts_is_let_go_too(void **state)
{
    struct fixture *f = *state;
    struct plain submission = service_request(0, 0);
    submission.request = "{\"kernel\":\"copy\",\"counters\":true}";
    submission.timeout_s = 10;
    is_known(f);
    f->config.listing.counting = true;
    begin(f);
    struct submitted submitted = service_submit(&f->service, &submission);
    succeeds(f, submitted.id);
    wait_for_readiness(f, DEVICE_AWAY);
    for (int tries = 0; tries < 4000 && status_of(f).own.pid[1]; tries++)
        pause_ms(5);
    assert_int_equal(status_of(f).own.pid[1], 0);
    assert_int_equal(starts_of(f), 2);
}

#define RELEASED(name) cmocka_unit_test_setup_teardown(name, set_up_released, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RELEASED(a_device_that_is_known_is_not_started_before_there_is_work),
        RELEASED(a_device_of_which_nothing_is_known_is_started_once_and_let_go),
        RELEASED(work_that_follows_soon_meets_the_same_executor),
        RELEASED(what_was_started_is_held_for_its_least_time),
        RELEASED(a_drained_device_is_let_go_at_once),
        RELEASED(an_experiment_is_queued_while_its_start_is_waited_for),
        RELEASED(another_command_says_what_is_waited_for),
        RELEASED(another_command_that_hangs_is_not_waited_for),
        RELEASED(a_start_that_nobody_needs_any_more_is_given_up),
        RELEASED(a_start_that_takes_too_long_is_tried_again_later),
        RELEASED(a_failed_start_is_left_alone_when_nobody_needs_it),
        RELEASED(the_one_that_counts_is_let_go_too),
    };
    worked_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A supervisor starts, proves, uses, empties, replaces and stops its executor. */
#include "tests/faults/supervised.h"

#include <pthread.h>

/* ---- its start ---- */

static void a_hello_makes_the_device_known_without_a_context(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_false(status_of(f).known);
    assert_false(status_of(f).healthy);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct device_status status = status_of(f);
    assert_true(status.known && status.healthy && !status.context);
    assert_string_equal(status.facts.uuid, "FAKE-0");
    assert_string_equal(status.reason, "");
    assert_int_equal(kill(status.executor, 0), 0);
}

/* Between the service's start and its first executor's. */
static void a_device_that_was_never_started_is_not_ill(void **state)
{
    begin(*state);
    struct device_status status = status_of(*state);
    assert_string_equal(devices_health(&status), "starting");
    assert_non_null(devices_unusable_reason(&status));
    runs_well(*state);
}

static void lines_before_the_hello_are_ignored(void **state)
{
    misbehave(*state, "chatter");
    begin(*state);
    runs_well(*state);
}

static void a_hello_may_come_late(void **state)
{
    misbehave(*state, "late_hello");
    begin(*state);
    runs_well(*state);
}

static void no_good_start(struct fixture *f, const char *reason)
{
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    struct device_status status = status_of(f);
    assert_false(status.healthy || status.known);
    assert_int_equal(status.executor, 0);
    if (!strstr(status.reason, reason))
        fail_msg("reason: %s", status.reason);
}

static void an_executor_without_a_hello_makes_the_device_unhealthy(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "no_hello");
    f->config.listing.start_s = 0.2;
    no_good_start(f, "no hello within 0.2 s");
}

static void an_executor_of_another_protocol_makes_the_device_unhealthy(void **state)
{
    misbehave(*state, "old_protocol");
    no_good_start(*state, "protocol 99");
}

static void a_banner_does_not_hide_another_protocol(void **state)
{
    misbehave(*state, "banner");
    no_good_start(*state, "protocol 99");
}

static void an_executor_that_ends_at_once_tells_why(void **state)
{
    misbehave(*state, "exit");
    no_good_start(*state, "exit status 1; it said: no such device");
}

static void a_command_that_is_not_there_makes_the_device_unhealthy(void **state)
{
    struct fixture *f = *state;
    f->argv[0] = "/nonexistent/coalesced";
    no_good_start(f, "/nonexistent/coalesced");
}

static void a_device_that_does_not_start_is_tried_again_after_a_pause(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "exit:1");
    begin(f);
    int64_t start = clock_monotonic_ns();
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    runs_well(f);
    assert_true(since(start) >= 1);
    assert_true(status_of(f).healthy);
}

static void a_stop_ends_the_pause_and_the_wait_for_a_hello(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "exit:1");
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    atomic_store(&f->interrupt, INTERRUPT_STOP);
    eventfd_write(f->callbacks.wake_fd, 1);
    int64_t start = clock_monotonic_ns();
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    assert_true(since(start) < 0.9); /* the pause is of 1 s */
    supervisor_free(f->supervisor);
    misbehave(f, "no_hello");
    f->config.listing.start_s = 60;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    assert_true(since(start) < 30);
}

static void a_probe_tells_how_many_devices_there_are(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(supervisor_probe(&f->config, NULL, NULL), 3);
}

static void a_probe_that_fails_tells_why(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    misbehave(f, "exit");
    assert_int_equal(supervisor_probe(&f->config, NULL, &error), -1);
    assert_non_null(strstr(error.text, "no such device"));
}

/* ---- runs ---- */

static void a_result_comes_back_and_the_same_executor_takes_the_next(void **state)
{
    struct fixture *f = *state;
    begin(f);
    runs_well(f);
    pid_t executor = status_of(f).executor;
    for (int i = 0; i < 20; i++)
        runs_well(f);
    struct device_status status = status_of(f);
    assert_int_equal(status.executor, executor);
    assert_true(status.context);
    assert_int_equal(status.runs, 21);
    assert_int_equal(status.failures, 0);
}

static void a_request_larger_than_a_pipe_goes_through(void **state)
{
    struct fixture *f = *state;
    struct executor_outcome outcome;
    enum { SIZE = 600000 };
    char *request = malloc(SIZE);
    memset(request, 'x', SIZE);
    memcpy(request, "{\"labels\":\"", 11);
    memcpy(request + SIZE - 3, "\"}", 3);
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct buffer frame = protocol_write_run("1", 0, request, NULL);
    const struct executor_question question = {MESSAGE_RESULT, "1", &frame, 5, false};
    supervisor_ask(f->supervisor, &question, &outcome);
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    protocol_message_free(&outcome.answer);
    buffer_free(&frame);
    free(request);
}

static void opening_a_context_is_not_the_experiments_time(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "slow_open", 0.7);
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    protocol_message_free(&outcome.answer);
}

static void waiting_for_a_lock_is_not_the_experiments_time(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "slow_locks", 0.7);
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    protocol_message_free(&outcome.answer);
    outcome = run(f, "locks_without_end", 30);
    assert_int_equal(outcome.failure.kind, ERROR_CRASHED);
    assert_non_null(strstr(outcome.failure.text, "more than twice"));
    protocol_message_free(&outcome.answer);
}

/* ---- interrupts ---- */

struct later {
    struct fixture *fixture;
    enum interrupt interrupt;
};

static void *interrupt_later(void *arg)
{
    const struct later *later = arg;
    pause_ms(100);
    atomic_store(&later->fixture->interrupt, later->interrupt);
    eventfd_write(later->fixture->callbacks.wake_fd, 1);
    return NULL;
}

static struct executor_outcome run_and_interrupt(struct fixture *f, const char *behaviour,
                                                 enum interrupt interrupt)
{
    struct later later = {f, interrupt};
    pthread_t thread;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    pthread_create(&thread, NULL, interrupt_later, &later);
    struct executor_outcome outcome = run(f, behaviour, 30);
    pthread_join(thread, NULL);
    return outcome;
}

static void a_cancelled_run_is_ended_at_once_and_the_next_experiment_runs(void **state)
{
    struct fixture *f = *state;
    int64_t start = clock_monotonic_ns();
    struct executor_outcome outcome = run_and_interrupt(f, "hang", INTERRUPT_CANCEL);
    assert_true(since(start) < 20); /* it would run for 30 s */
    assert_int_equal(outcome.end, OUTCOME_FAILED);
    assert_int_equal(outcome.failure.kind, ERROR_CANCELLED);
    assert_int_equal(status_of(f).failures, 0); /* it was asked for */
    atomic_store(&f->interrupt, INTERRUPT_NONE);
    runs_well(f);
}

static void a_stop_lets_a_run_end_within_the_grace(void **state)
{
    struct executor_outcome outcome = run_and_interrupt(*state, "slow", INTERRUPT_STOP);
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    protocol_message_free(&outcome.answer);
}

static void a_stop_gives_a_run_back_after_the_grace(void **state)
{
    struct fixture *f = *state;
    f->config.grace_s = 0.2;
    int64_t start = clock_monotonic_ns();
    struct executor_outcome outcome = run_and_interrupt(f, "hang", INTERRUPT_STOP);
    assert_true(since(start) < 20); /* it would run for 30 s */
    assert_int_equal(outcome.end, OUTCOME_UNTOUCHED);
    assert_int_equal(status_of(f).executor, 0);
}

/* ---- self-test, idleness ---- */

static void a_fresh_executor_that_fails_its_test_copy_gets_no_work(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "unproven:2");
    begin(f);
    fails(f, "crash", ERROR_CRASHED, "SIGSEGV");
    assert_int_equal(supervisor_start(f->supervisor, true), -1);
    struct device_status status = status_of(f);
    assert_true(status.known && !status.healthy);
    assert_non_null(strstr(status.reason, "failed its test copy: made up: incorrect"));
    assert_int_equal(supervisor_start(f->supervisor, true), 0); /* the third start, after the pause */
    assert_true(status_of(f).healthy);
    assert_int_equal(status_of(f).runs, 1); /* test copies are not counted */
    runs_well(f);
}

static void wait_until_it_is_let_go(struct fixture *f)
{
    for (int tries = 0; supervisor_usable(f->supervisor) && tries < 4000; tries++, pause_ms(5))
        supervisor_check(f->supervisor);
    assert_false(supervisor_usable(f->supervisor));
}

static void an_executor_that_dies_idle_is_replaced_before_it_gets_work(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "then_dies", 5);
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    protocol_message_free(&outcome.answer);
    pid_t first = status_of(f).executor;
    wait_until_it_is_let_go(f);
    runs_well(f);
    assert_int_not_equal(status_of(f).executor, first);
    kill(status_of(f).executor, SIGKILL);
    wait_until_it_is_let_go(f);
    runs_well(f);
    assert_int_equal(status_of(f).failures, 0);
}

static void an_executor_that_talks_idle_is_replaced(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "then_talks", 5);
    protocol_message_free(&outcome.answer);
    pid_t first = status_of(f).executor;
    wait_until_it_is_let_go(f);
    runs_well(f);
    assert_int_not_equal(status_of(f).executor, first);
}

static void a_death_between_ready_and_run_is_not_held_against_the_experiment(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    siginfo_t ended;
    pid_t executor = status_of(f).executor;
    kill(executor, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)executor, &ended, WEXITED | WNOWAIT), 0);
    struct executor_outcome outcome = run(f, "nothing", 5);
    assert_int_equal(outcome.end, OUTCOME_UNTOUCHED);
    runs_well(f);
}

static void an_idle_executor_with_a_context_is_replaced_by_one_without(void **state)
{
    struct fixture *f = *state;
    f->config.listing.idle_s = 0.1;
    begin(f);
    runs_well(f);
    pid_t first = status_of(f).executor;
    assert_true(status_of(f).context);
    pause_ms(150);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    pid_t second = status_of(f).executor;
    assert_int_not_equal(second, first);
    assert_false(status_of(f).context);
    assert_int_equal(kill(first, 0), -1);
    pause_ms(150);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    assert_int_equal(status_of(f).executor, second); /* one without a context may stay */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUPERVISED(a_hello_makes_the_device_known_without_a_context),
        SUPERVISED(a_device_that_was_never_started_is_not_ill),
        SUPERVISED(lines_before_the_hello_are_ignored),
        SUPERVISED(a_hello_may_come_late),
        SUPERVISED(an_executor_without_a_hello_makes_the_device_unhealthy),
        SUPERVISED(an_executor_of_another_protocol_makes_the_device_unhealthy),
        SUPERVISED(a_banner_does_not_hide_another_protocol),
        SUPERVISED(an_executor_that_ends_at_once_tells_why),
        SUPERVISED(a_command_that_is_not_there_makes_the_device_unhealthy),
        SUPERVISED(a_device_that_does_not_start_is_tried_again_after_a_pause),
        SUPERVISED(a_stop_ends_the_pause_and_the_wait_for_a_hello),
        SUPERVISED(a_probe_tells_how_many_devices_there_are),
        SUPERVISED(a_probe_that_fails_tells_why),
        SUPERVISED(a_result_comes_back_and_the_same_executor_takes_the_next),
        SUPERVISED(a_request_larger_than_a_pipe_goes_through),
        SUPERVISED(opening_a_context_is_not_the_experiments_time),
        SUPERVISED(waiting_for_a_lock_is_not_the_experiments_time),
        SUPERVISED(a_cancelled_run_is_ended_at_once_and_the_next_experiment_runs),
        SUPERVISED(a_stop_lets_a_run_end_within_the_grace),
        SUPERVISED(a_stop_gives_a_run_back_after_the_grace),
        SUPERVISED(a_fresh_executor_that_fails_its_test_copy_gets_no_work),
        SUPERVISED(an_executor_that_dies_idle_is_replaced_before_it_gets_work),
        SUPERVISED(an_executor_that_talks_idle_is_replaced),
        SUPERVISED(a_death_between_ready_and_run_is_not_held_against_the_experiment),
        SUPERVISED(an_idle_executor_with_a_context_is_replaced_by_one_without),
    };
    supervised_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

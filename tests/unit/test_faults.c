/* Whatever an executor does in a run, the service knows what happened and goes on. */
#include "tests/faults/supervised.h"

static void an_executor_that_ends_or_errs_is_replaced_and_the_next_experiment_runs(void **state)
{
    static const struct {
        const char *behaviour;
        enum error_kind kind;
        const char *text;
    } cases[] = {
        {"crash", ERROR_CRASHED, "killed by SIGSEGV"},
        {"exit", ERROR_CRASHED, "exit status 7"},
        {"last_words", ERROR_CRASHED, "exit status 1; it said: "},
        {"last_words", ERROR_CRASHED, "[1mthe last words"},
        {"rubbish", ERROR_CRASHED, "broke the protocol: executor protocol: a header that is no JSON"},
        {"long_line", ERROR_CRASHED, "a header of more than 64 KiB"},
        {"huge_payload", ERROR_CRASHED, "a message of more than 1 MiB"},
        {"cut_payload", ERROR_CRASHED, "exit status 0"},
        {"two_lines", ERROR_CRASHED, "no JSON object on one line"},
        {"no_json", ERROR_CRASHED, "\"result\" "},
        {"wrong_id", ERROR_CRASHED, "an experiment that it was not given"},
        {"partial", ERROR_CRASHED, "exit status 0"},
        {"orphan", ERROR_CRASHED, "exit status 7"},
        {"cuda_error", ERROR_CUDA, "made up"},
    };
    struct fixture *f = *state;
    begin(f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(supervisor_start(f->supervisor, true), 0);
        pid_t before = status_of(f).executor;
        fails(f, cases[i].behaviour, cases[i].kind, cases[i].text);
        assert_false(supervisor_usable(f->supervisor));
        for (int tries = 0; !group_is_gone(before) && tries < 2000; tries++)
            pause_ms(10); /* a process that was killed takes its moment */
        assert_true(group_is_gone(before));
        assert_int_equal(status_of(f).failures, i + 1);
        runs_well(f);
    }
}

static void an_executor_that_hangs_is_killed_and_the_next_experiment_runs(void **state)
{
    struct fixture *f = *state;
    begin(f);
    int64_t start = clock_monotonic_ns();
    fails(f, "hang", ERROR_TIMED_OUT, "timeout_s of 0.3 s");
    assert_true(since(start) >= 0.3 && since(start) < 20);
    runs_well(f);
}

static void an_executor_that_ignores_sigterm_is_killed_all_the_same(void **state)
{
    struct fixture *f = *state;
    begin(f);
    fails(f, "stubborn", ERROR_TIMED_OUT, "timeout_s");
    runs_well(f);
}

static void an_executor_that_never_stops_talking_is_ended_at_its_time(void **state)
{
    struct fixture *f = *state;
    begin(f);
    int64_t start = clock_monotonic_ns();
    fails(f, "flood", ERROR_TIMED_OUT, "timeout_s");
    assert_true(since(start) < 20);
    runs_well(f);
}

static void an_executor_that_closes_its_output_is_ended(void **state)
{
    struct fixture *f = *state;
    begin(f);
    fails(f, "close_stdout", ERROR_CRASHED, "killed by SIGTERM from the service");
    runs_well(f);
}

static void an_executor_that_lost_its_device_and_stays_is_ended(void **state)
{
    struct fixture *f = *state;
    begin(f);
    fails(f, "device_lost", ERROR_DEVICE_LOST, "made up");
    runs_well(f);
}

static void what_an_executor_makes_of_its_answers_is_not_believed(void **state)
{
    static const struct {
        const char *behaviour;
        enum error_kind kind;
        const char *text;
    } cases[] = {
        {"open_again", ERROR_CRASHED, "creates its context twice"},
        {"reopen", ERROR_CRASHED, "creates its context twice"},
        {"nothing_in_it", ERROR_CRASHED, "does not say whether it was verified"},
        {"unverified", ERROR_INCORRECT, "the output is wrong"},
        {"members", ERROR_CRASHED, "is no member of a result"},
        {"cancelled", ERROR_CRASHED, "only the service decides on"},
    };
    struct fixture *f = *state;
    begin(f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t start = clock_monotonic_ns();
        fails(f, cases[i].behaviour, cases[i].kind, cases[i].text);
        assert_true(since(start) < 20);
        runs_well(f);
    }
}

/* The second answer is there before the next run, or comes in the middle of it. */
static void an_answer_that_comes_twice_or_late_costs_the_next_run_nothing(void **state)
{
    static const char *const behaviours[] = {"twice", "late"};
    struct fixture *f = *state;
    begin(f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(supervisor_start(f->supervisor, true), 0);
        pid_t before = status_of(f).executor;
        struct executor_outcome outcome = run(f, behaviours[i], 5);
        assert_int_equal(outcome.end, OUTCOME_RESULT);
        protocol_message_free(&outcome.answer);
        do
            outcome = run(f, "slow", 5); /* as a worker does, without asking supervisor_ready() before */
        while (outcome.end == OUTCOME_UNTOUCHED && supervisor_start(f->supervisor, true) == 0);
        assert_string_equal(outcome.failure.text, "");
        assert_int_equal(outcome.end, OUTCOME_RESULT);
        protocol_message_free(&outcome.answer);
        assert_int_equal(status_of(f).failures, 0);
        runs_well(f);
        assert_int_not_equal(status_of(f).executor, before);
    }
}

static void an_executor_killed_by_somebody_else_is_told_from_one_that_crashed(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "killed", 5);
    assert_int_equal(outcome.end, OUTCOME_LOST);
    assert_non_null(strstr(outcome.failure.text, "killed by SIGKILL"));
    protocol_message_free(&outcome.answer);
    runs_well(f);
}

/* The process that left its group and its session, by its own account in the work log. */
static pid_t leaver(const char *path)
{
    long pid = 0;
    FILE *file = fopen(path, "r");
    char line[128];
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "leaver %ld", &pid);
    if (file)
        fclose(file);
    return (pid_t)pid;
}

static void a_process_that_left_the_group_ends_with_the_executor(void **state)
{
    struct fixture *f = *state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/fake-executor-work-log-%ld", (long)getpid());
    unlink(path);
    f->argv[2] = "--work-log";
    f->argv[3] = path;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "leaver", 5);
    protocol_message_free(&outcome.answer);
    pid_t left = leaver(path);
    assert_true(left > 0);
    assert_int_equal(kill(left, 0), 0);
    supervisor_free(f->supervisor);
    f->supervisor = NULL;
    char stat[64], state_of = 'Z';
    snprintf(stat, sizeof stat, "/proc/%ld/stat", (long)left);
    FILE *file = fopen(stat, "r"); /* it may still wait to be buried by init */
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state_of) != 1)
        state_of = 'Z';
    if (file)
        fclose(file);
    assert_int_equal(state_of, 'Z');
    unlink(path);
}

/* Neither counts as the experiment's time, and neither lasts for ever. */
static void a_context_and_a_lock_that_never_come_have_a_time_of_their_own(void **state)
{
    struct fixture *f = *state;
    f->config.open_s = 0.6;
    f->config.locked_s = 0.7;
    begin(f);
    fails(f, "opens", ERROR_TIMED_OUT, "the device was not ready after 0.6 s");
    runs_well(f);
    fails(f, "waits", ERROR_TIMED_OUT, "the bus for 0.7 s");
    runs_well(f);
}

static void out_of_memory_leaves_the_executor_in_its_place(void **state)
{
    struct fixture *f = *state;
    begin(f);
    runs_well(f);
    pid_t executor = status_of(f).executor;
    fails(f, "out_of_memory", ERROR_OUT_OF_MEMORY, "made up");
    assert_int_equal(status_of(f).executor, executor);
    assert_int_equal(status_of(f).failures, 0);
    runs_well(f);
}

static void an_incorrect_output_fails_with_its_result_kept(void **state)
{
    struct fixture *f = *state;
    begin(f);
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "incorrect", 5);
    assert_int_equal(outcome.end, OUTCOME_FAILED);
    assert_int_equal(outcome.failure.kind, ERROR_INCORRECT);
    assert_non_null(strstr(outcome.answer.result, "\"mismatches\":3"));
    protocol_message_free(&outcome.answer);
    assert_true(supervisor_usable(f->supervisor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUPERVISED(an_executor_that_ends_or_errs_is_replaced_and_the_next_experiment_runs),
        SUPERVISED(an_executor_that_hangs_is_killed_and_the_next_experiment_runs),
        SUPERVISED(an_executor_that_ignores_sigterm_is_killed_all_the_same),
        SUPERVISED(an_executor_that_never_stops_talking_is_ended_at_its_time),
        SUPERVISED(an_executor_that_closes_its_output_is_ended),
        SUPERVISED(an_executor_that_lost_its_device_and_stays_is_ended),
        SUPERVISED(what_an_executor_makes_of_its_answers_is_not_believed),
        SUPERVISED(an_answer_that_comes_twice_or_late_costs_the_next_run_nothing),
        SUPERVISED(an_executor_killed_by_somebody_else_is_told_from_one_that_crashed),
        SUPERVISED(a_process_that_left_the_group_ends_with_the_executor),
        SUPERVISED(a_context_and_a_lock_that_never_come_have_a_time_of_their_own),
        SUPERVISED(out_of_memory_leaves_the_executor_in_its_place),
        SUPERVISED(an_incorrect_output_fails_with_its_result_kept),
    };
    supervised_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

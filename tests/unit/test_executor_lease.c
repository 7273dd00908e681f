/* The real executor on the CPU device and a server that is far away: versions, beats, the end of its
   lease, SIGTERM, and what comes along with a run. This program is the executor, when called with
   --executor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/calibration_json.h"
#include "api/protocol.h"
#include "base/clock.h"
#include "executor/executor.h"
#include "server/devices/child.h"
#include "tests/unit/support/scratch.h"

enum { WITHIN_S = 60 };

#define LONG_RUN                                                                                             \
    "{\"kernel\":\"copy\",\"size\":4194304,"                                                                 \
    "\"measure\":{\"min_samples\":10000,\"noise\":1e-6,\"max_seconds\":300},\"timeout_s\":600}"
#define SHORT_RUN "{\"kernel\":\"copy\",\"size\":4194304,\"measure\":{\"min_samples\":1,\"max_seconds\":1}}"

struct fixture {
    char directory[SCRATCH_BYTES];
    struct child *child;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    scratch_make(f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    if (f->child)
        child_end(f->child, 0);
    child_free(f->child);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

static enum child_event next(struct fixture *f, double within_s, struct message *message)
{
    struct protocol_frame frame;
    struct error error = {0};
    enum child_event event =
        child_next(f->child, -1, clock_monotonic_ns() + (int64_t)(within_s * 1e9), &frame);
    if (event == CHILD_FRAME && protocol_parse(message, &frame, &error) < 0)
        fail_msg("%s in: %.*s", error.text, (int)frame.header_bytes, frame.header);
    return event;
}

/* The next message of that type, whatever comes before it; to be freed. */
static struct message await(struct fixture *f, enum message_type type)
{
    struct message message = {0};
    for (;;) {
        enum child_event event = next(f, WITHIN_S, &message);
        if (event != CHILD_FRAME)
            fail_msg("no %s but event %d", protocol_type_name(type), (int)event);
        if (message.type == type)
            return message;
        protocol_message_free(&message);
    }
}

static void await_phase(struct fixture *f, const char *phase)
{
    struct message message;
    do
        message = await(f, MESSAGE_PROGRESS);
    while (strcmp(message.phase, phase) != 0);
}

/* Takes over the frame. */
static void say(struct fixture *f, struct buffer frame)
{
    assert_int_equal(child_send(f->child, &frame), 0);
    buffer_free(&frame);
}

static void start(struct fixture *f, const char *leave_s)
{
    const char *const argv[] = {"/proc/self/exe", "--executor",      "--device", "cpu", "--lock-dir",
                                f->directory,     "--leave-seconds", leave_s,    NULL};
    assert_int_equal(child_start(&f->child, "test", argv, false, NULL), 0);
    struct message hello = await(f, MESSAGE_HELLO);
    assert_int_equal(hello.protocol, PROTOCOL_NEWEST);
    protocol_message_free(&hello);
}

static void ends_with(struct fixture *f, const char *wanted)
{
    struct child_exit how;
    struct message message;
    enum child_event event;
    while ((event = next(f, WITHIN_S, &message)) == CHILD_FRAME)
        protocol_message_free(&message);
    assert_int_equal(event, CHILD_ENDED);
    assert_int_equal(child_end(f->child, 5), 0);
    child_exit(f->child, &how);
    if (!strstr(how.text, wanted))
        fail_msg("%s", how.text);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void one_that_nobody_welcomed_neither_beats_nor_ends(void **state)
{
    struct fixture *f = *state;
    struct message message;
    start(f, "20");
    assert_int_equal(next(f, 1, &message), CHILD_QUIET);
    say(f, protocol_write_run("1", 0, SHORT_RUN, NULL));
    message = await(f, MESSAGE_RESULT);
    protocol_message_free(&message);
}

/* What cannot be read is of another build, and as if it were not there: nothing is shipped for a CPU. */
static void its_times_are_made_of_the_constants_that_came_along(void **state)
{
    struct fixture *f = *state;
    struct calibration own = *calibration_at(0);
    struct buffer text = {0};
    own.made_ms = 1768910400000;
    calibration_json_write(&(struct json_writer){.out = &text}, NULL, &own);
    const char *const sent[] = {text.data, "{\"of\":\"another build\"}", NULL};
    const char *const told[] = {"\"calibration\":\"2026-01-20T12:00:00.000Z\"",
                                "\"time\":{\"status\":\"unavailable\"",
                                "\"time\":{\"status\":\"unavailable\""};
    start(f, "20");
    for (int i = 0; i < 3; i++) {
        const struct run_along along = {.calibration = sent[i]};
        say(f, protocol_write_run("1", 0, "{\"kernel\":\"copy\",\"size\":1024}", &along));
        struct message result = await(f, MESSAGE_RESULT);
        if (!strstr(result.result, told[i]))
            fail_msg("no %s in %s", told[i], result.result);
        protocol_message_free(&result);
    }
    buffer_free(&text);
}

static void a_welcome_without_times_is_no_lease(void **state)
{
    struct fixture *f = *state;
    struct message message;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0, 0));
    assert_int_equal(next(f, 1, &message), CHILD_QUIET);
}

static void it_beats_when_it_has_nothing_else_to_say(void **state)
{
    struct fixture *f = *state;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.1, 30));
    for (int i = 0; i < 5; i++)
        await(f, MESSAGE_BEAT);
}

static void it_ends_by_itself_when_the_server_cannot_be_heard(void **state)
{
    struct fixture *f = *state;
    int64_t before = clock_monotonic_ns();
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.2, 1));
    ends_with(f, "exit status 5");
    assert_true(clock_monotonic_ns() - before >= 1000000000);
}

static void it_ends_by_itself_in_the_middle_of_a_run(void **state)
{
    struct fixture *f = *state;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.2, 2));
    say(f, protocol_write_run("1", 0, LONG_RUN, NULL));
    ends_with(f, "exit status 5");
}

/* The server answers each beat with how many lines it heard. */
static void it_lives_on_while_it_is_heard(void **state)
{
    struct fixture *f = *state;
    int64_t lines = 1, until = clock_monotonic_ns() + INT64_C(3000000000);
    struct message message;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.1, 1.5));
    while (clock_monotonic_ns() < until) {
        assert_int_equal(next(f, WITHIN_S, &message), CHILD_FRAME);
        say(f, protocol_write_beat(++lines));
    }
}

/* What was heard long ago prolongs nothing, however often it is said, and what was never sent neither. */
static void beats_that_tell_of_old_lines_prolong_nothing(void **state)
{
    struct fixture *f = *state;
    struct message message;
    enum child_event event;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.1, 1));
    while ((event = next(f, WITHIN_S, &message)) == CHILD_FRAME) {
        struct buffer old = protocol_write_beat(1), never = protocol_write_beat(1000000);
        if (child_send(f->child, &old) == 0)
            child_send(f->child, &never);
        buffer_free(&old);
        buffer_free(&never);
    }
    ends_with(f, "exit status 5");
}

/* A run that was on its way for longer than the lease meets nobody, or somebody who takes nothing any
   more. */
static void a_stopped_executor_ends_when_it_goes_on(void **state)
{
    struct fixture *f = *state;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.2, 1));
    kill(child_pid(f->child), SIGSTOP);
    pause_ms(1500);
    say(f, protocol_write_beat(1));
    say(f, protocol_write_run("1", 0, SHORT_RUN, NULL));
    kill(child_pid(f->child), SIGCONT);
    struct message message;
    enum child_event event;
    while ((event = next(f, WITHIN_S, &message)) == CHILD_FRAME)
        assert_int_not_equal(message.type, MESSAGE_RESULT);
    ends_with(f, "exit status 5");
}

static void sigterm_without_a_welcome_is_its_end(void **state)
{
    struct fixture *f = *state;
    start(f, "20");
    kill(child_pid(f->child), SIGTERM);
    ends_with(f, "SIGTERM");
}

static void sigterm_without_work_is_told_and_its_end(void **state)
{
    struct fixture *f = *state;
    start(f, "20");
    say(f, protocol_write_welcome(5, 0.1, 30));
    await(f, MESSAGE_BEAT); /* so the welcome has arrived */
    kill(child_pid(f->child), SIGTERM);
    struct message leaving = await(f, MESSAGE_LEAVING);
    assert_string_equal(leaving.why, "SIGTERM");
    assert_true(leaving.done);
    ends_with(f, "exit status 0");
}

static void sigterm_lets_what_runs_end(void **state)
{
    struct fixture *f = *state;
    start(f, "60");
    say(f, protocol_write_welcome(5, 0, 0));
    say(f, protocol_write_run("1", 0, SHORT_RUN, NULL));
    await_phase(f, "prepare");
    kill(child_pid(f->child), SIGTERM);
    struct message message = await(f, MESSAGE_LEAVING);
    assert_false(message.done);
    message = await(f, MESSAGE_RESULT);
    protocol_message_free(&message);
    message = await(f, MESSAGE_LEAVING);
    assert_true(message.done);
    ends_with(f, "exit status 0");
}

static void sigterm_ends_what_takes_too_long(void **state)
{
    struct fixture *f = *state;
    start(f, "0.3");
    say(f, protocol_write_welcome(5, 0, 0));
    say(f, protocol_write_run("1", 0, LONG_RUN, NULL));
    await_phase(f, "prepare");
    kill(child_pid(f->child), SIGTERM);
    assert_false(await(f, MESSAGE_LEAVING).done);
    assert_true(await(f, MESSAGE_LEAVING).done);
    ends_with(f, "exit status 0");
}

static void a_grace_that_is_no_time_is_refused(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/proc/self/exe",  "--executor", "--device", "cpu",
                                "--leave-seconds", "soon",       NULL};
    assert_int_equal(child_start(&f->child, "test", argv, false, NULL), 0);
    ends_with(f, "--leave-seconds N");
}

static void its_help_lists_its_options(void **state)
{
    static const char *const options[] = {"--device SPEC", "--lock-dir DIR", "--counting",
                                          "--leave-seconds S"};
    struct fixture *f = *state;
    const char *const argv[] = {"/proc/self/exe", "--executor", "--help", NULL};
    struct protocol_frame frame;
    size_t found = 0;
    assert_int_equal(child_start(&f->child, "test", argv, false, NULL), 0);
    while (child_next(f->child, -1, clock_monotonic_ns() + INT64_C(60000000000), &frame) == CHILD_FRAME)
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            found +=
                memmem(frame.header, frame.header_bytes, options[i], strlen(options[i])) == frame.header + 2;
    assert_int_equal(found, sizeof options / sizeof *options);
    ends_with(f, "exit status 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(one_that_nobody_welcomed_neither_beats_nor_ends),
        TEST(its_times_are_made_of_the_constants_that_came_along),
        TEST(a_welcome_without_times_is_no_lease),
        TEST(it_beats_when_it_has_nothing_else_to_say),
        TEST(it_ends_by_itself_when_the_server_cannot_be_heard),
        TEST(it_ends_by_itself_in_the_middle_of_a_run),
        TEST(it_lives_on_while_it_is_heard),
        TEST(beats_that_tell_of_old_lines_prolong_nothing),
        TEST(a_stopped_executor_ends_when_it_goes_on),
        TEST(sigterm_without_a_welcome_is_its_end),
        TEST(sigterm_without_work_is_told_and_its_end),
        TEST(sigterm_lets_what_runs_end),
        TEST(sigterm_ends_what_takes_too_long),
        TEST(a_grace_that_is_no_time_is_refused),
        TEST(its_help_lists_its_options),
    };
    if (argc > 1 && strcmp(argv[1], "--executor") == 0)
        return executor_main(argc, argv);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a start waits for, told by commands that behave in any way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "server/devices/supervisor_state.h"

static const char *const silence[] = {"sleep", "600", NULL};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static struct child *child_of(const char *const *argv)
{
    struct child *child;
    assert_int_equal(child_start(&child, "test", argv, true, NULL), 0);
    return child;
}

static void child_over(struct child *child)
{
    assert_int_equal(child_end(child, 0), 0);
    child_free(child);
}

/* Looks until the command that is asked was asked and has ended. */
static void look(const char *command, char text[START_WAIT_BYTES])
{
    const char *const why[] = {"/bin/sh", "-c", command, NULL};
    struct start_wait waiting = {.why = why};
    struct child *starting = child_of(silence);
    text[0] = '\0';
    for (bool asked = false; !asked || waiting.command; asked = true, pause_ms(10))
        start_wait_look(&waiting, starting, text);
    start_wait_end(&waiting);
    child_over(starting);
}

static void a_command_may_say_anything_and_is_ended(void **state)
{
    static const struct {
        const char *command, *text;
    } cases[] = {
        {"echo Resources", "Resources"},
        {"echo Priority; echo more; sleep 600", "Priority"},
        {"yes Resources", "Resources"},
        {"cat /dev/zero", ""},
        {"printf 'a\\033[31m\\377\\000b\\n'", "a [31m  b"},
        {"exit 1", ""},
        {"sleep 600", ""},
        {"trap '' TERM; sleep 600 & sleep 600", ""},
        {"sleep 600 & exit 0", ""},
        {"echo mistake >&2", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[START_WAIT_BYTES];
        int64_t begin = clock_monotonic_ns();
        look(cases[i].command, text);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%s: \"%s\"", cases[i].command, text);
        /* It would have lasted for ten minutes. */
        assert_true(clock_monotonic_ns() - begin < (int64_t)300e9);
    }
}

static void a_command_that_is_not_there_tells_nothing(void **state)
{
    static const char *const why[] = {"/nonexistent/squeue", NULL};
    struct start_wait waiting = {.why = why, .answer = "Resources"};
    struct child *starting = child_of(silence);
    char text[START_WAIT_BYTES] = "";
    (void)state;
    start_wait_look(&waiting, starting, text);
    assert_string_equal(text, "");
    start_wait_end(&waiting);
    child_over(starting);
}

/* As what starts says it on standard error, in bytes that fit into JSON and into the room that there is. */
static void what_a_start_says_is_told_as_text(void **state)
{
    static const struct {
        const char *command, *begin;
    } cases[] = {
        {"printf 'queued\\nwaiting for resources\\n' >&2; sleep 600", "queued waiting for resources"},
        {"printf 'odd \\001\\377\\033\\n' >&2; sleep 600", "odd"},
        {"yes x | tr -d '\\n' >&2", "xxxxxxxx"},
        {"yes waits >&2", "waits waits"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const command[] = {"/bin/sh", "-c", cases[i].command, NULL};
        struct child *starting = child_of(command);
        struct start_wait waiting = {0};
        char text[START_WAIT_BYTES] = "";
        struct protocol_frame frame;
        for (int64_t end = clock_monotonic_ns() + (int64_t)60e9; clock_monotonic_ns() < end;) {
            child_next(starting, -1, clock_monotonic_ns() + 20000000, &frame);
            start_wait_look(&waiting, starting, text);
            if (strstr(text, cases[i].begin))
                break;
        }
        if (!strstr(text, cases[i].begin))
            fail_msg("%s: \"%s\"", cases[i].command, text);
        for (const char *at = text; *at; at++)
            assert_true(*at >= ' ' && *at <= '~');
        child_over(starting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_may_say_anything_and_is_ended),
        cmocka_unit_test(a_command_that_is_not_there_tells_nothing),
        cmocka_unit_test(what_a_start_says_is_told_as_text),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

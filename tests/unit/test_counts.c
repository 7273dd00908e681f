/* What an executor counts ahead and keeps. This program is its server, too: it writes the answers before they are asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/protocol.h"
#include "executor/counts.h"
#include "tests/faults/counted_device.h"

static const char request[] = "{\"kernel\":\"copy\",\"size\":5000,\"counters\":true}";

static int to_executor, from_executor;
static struct channel *channel;
static struct counts counts;

/* Before anything is printed: standard output becomes standard error. */
static void open_channel(void)
{
    int in[2], out[2];
    assert_int_equal(pipe(in) + pipe(out), 0);
    assert_true(dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0);
    to_executor = in[1];
    from_executor = out[0];
    fcntl(from_executor, F_SETFL, O_NONBLOCK);
    assert_int_equal(channel_open(&channel, NULL), 0);
}

static void say(char *line)
{
    assert_non_null(line);
    assert_int_equal(write(to_executor, line, strlen(line)), strlen(line));
    free(line);
}

/* Of so many experiments, "<id>1", "<id>2" ... */
static void say_ahead(const char *id, int count, const char *of_each)
{
    struct ahead ahead = {.count = count};
    for (int i = 0; i < count; i++) {
        snprintf(ahead.at[i].id, sizeof ahead.at[i].id, "%s%d", id, i + 1);
        ahead.at[i].request = (char *)of_each;
    }
    say(message_ahead(id, &ahead));
}

/* Was there exactly one line, that asks for this id? */
static bool asked(const char *id)
{
    char line[256] = "", *wanted = message_ask(id);
    ssize_t length = read(from_executor, line, sizeof line - 1);
    bool same = length > 0 && strcmp(line, wanted) == 0;
    free(wanted);
    if (length > 0 && !same)
        fail_msg("%s", line);
    return same;
}

static int fill(const char *id, struct counters *counters, struct error *error)
{
    struct experiment e = experiment("copy", 5000);
    *error = (struct error){0};
    return counts_fill(&counts, runner, channel, id, &e, NULL, counters, error);
}

static int set_up_counts(void **state)
{
    counts = (struct counts){0};
    return set_up(state);
}

static void what_was_counted_ahead_is_kept_for_its_own_run(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    say_ahead("A", 2, request);
    assert_int_equal(fill("A", &counters, &error), 0);
    assert_true(asked("A"));
    assert_int_equal(counters.status, COUNTERS_MEASURED);
    assert_int_equal(counters.points, 3);
    assert_int_equal(launches, 3 * 4);
    for (int i = 2; i >= 1; i--) { /* in any order */
        memset(&counters, 0, sizeof counters);
        assert_int_equal(fill(i == 1 ? "A1" : "A2", &counters, &error), 0);
        assert_int_equal(counters.status, COUNTERS_MEASURED);
        assert_int_equal(counters.points, 3);
        assert_int_equal(place_of(&counters), 4 * i); /* its own */
    }
    assert_false(asked("A1"));
    assert_int_equal(launches, 3 * 4);
    say_ahead("A1", 0, request); /* given out once */
    assert_int_equal(fill("A1", &counters, &error), 0);
    assert_true(asked("A1"));
    assert_int_equal(launches, 3 * 4 + 4);
}

static void what_nobody_came_for_is_dropped(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    say_ahead("A", 2, request);
    assert_int_equal(fill("A", &counters, &error), 0);
    assert_true(asked("A"));
    say_ahead("B", 1, request);
    assert_int_equal(fill("B", &counters, &error), 0);
    assert_true(asked("B"));
    assert_int_equal(counts.kept, 1);
    assert_int_equal(fill("B1", &counters, &error), 0);
    assert_false(asked("B1"));
    assert_int_equal(counts.kept, 0);
}

static void a_refusal_is_not_kept(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    refuses = true;
    say_ahead("A", 2, request);
    assert_int_equal(fill("A", &counters, &error), 0);
    assert_true(asked("A"));
    assert_int_equal(counters.status, COUNTERS_UNAVAILABLE);
    assert_int_equal(counts.kept, 0);
}

static void a_request_that_is_none_costs_only_itself(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    say_ahead("A", 2, "{\"kernel\":\"no such kernel\",\"counters\":true}");
    assert_int_equal(fill("A", &counters, &error), 0);
    assert_true(asked("A"));
    assert_int_equal(counters.status, COUNTERS_MEASURED);
    assert_int_equal(counters.points, 1);
}

static void an_answer_that_is_none_is_an_error(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    say_ahead("B", 1, request);
    assert_int_equal(fill("A", &counters, &error), -1);
    assert_true(asked("A"));
    assert_int_equal(error.kind, ERROR_INVALID);
    say(message_run("C", "{}"));
    assert_int_equal(fill("A", &counters, &error), -1);
    assert_true(asked("A"));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_int_equal(launches, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_counts, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_counted_ahead_is_kept_for_its_own_run),
        TEST(what_nobody_came_for_is_dropped),
        TEST(a_refusal_is_not_kept),
        TEST(a_request_that_is_none_costs_only_itself),
        TEST(an_answer_that_is_none_is_an_error),
    };
    open_channel();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

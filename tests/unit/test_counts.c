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

static void the_oldest_make_room(void **state)
{
    (void)state;
    static struct counters counters;
    struct error error;
    for (int i = 0; i < 3; i++) { /* cancelled: nobody comes for them */
        char id[] = {(char)('A' + i), '\0'};
        say_ahead(id, 7, request);
        assert_int_equal(fill(id, &counters, &error), 0);
        assert_true(asked(id));
    }
    assert_int_equal(counts.kept, COUNTERS_POINTS);
    assert_int_equal(launches, 3 * 8 * 4);
    for (int i = 1; i <= 7; i++) {
        char ids[2][16];
        snprintf(ids[0], sizeof ids[0], "B%d", i);
        snprintf(ids[1], sizeof ids[1], "C%d", i);
        assert_int_equal(fill(ids[0], &counters, &error) + fill(ids[1], &counters, &error), 0);
    }
    assert_int_equal(counts.kept, 2); /* of the first, the last two */
    assert_int_equal(fill("A6", &counters, &error) + fill("A7", &counters, &error), 0);
    assert_int_equal(counts.kept, 0);
    assert_false(asked("A7"));
    assert_int_equal(launches, 3 * 8 * 4);
}

/* A sweep whose points take turns in what they want to have counted. */
static void what_is_kept_is_not_counted_again(void **state)
{
    (void)state;
    static const char other[] = "{\"kernel\":\"bank_conflict\",\"size\":4096,\"counters\":true}";
    static struct counters counters;
    struct error error;
    struct ahead ahead = {
        4, {{"P1", (char *)other}, {"P2", (char *)request}, {"P3", (char *)other}, {"P4", (char *)request}}};
    say(message_ahead("P0", &ahead));
    assert_int_equal(fill("P0", &counters, &error), 0);
    assert_true(asked("P0"));
    assert_int_equal(counters.points, 3); /* P2 and P4 with it */
    say(message_ahead("Q", &ahead));      /* somebody else's run comes in between */
    assert_int_equal(fill("Q", &counters, &error), 0);
    assert_true(asked("Q"));
    assert_int_equal(counters.points, 1); /* what is left wants other counters */
    assert_int_equal(launches, (3 + 1) * 4);
    assert_int_equal(fill("P2", &counters, &error) + fill("P4", &counters, &error), 0);
    assert_false(asked("P2"));
    assert_int_equal(counters.points, 3);
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
    struct ahead ahead = {
        2, {{"A1", (char *)"{\"kernel\":\"no such kernel\",\"counters\":true}"}, {"A2", (char *)request}}};
    say(message_ahead("A", &ahead));
    assert_int_equal(fill("A", &counters, &error), 0);
    assert_true(asked("A"));
    assert_int_equal(counters.status, COUNTERS_MEASURED);
    assert_int_equal(counters.points, 2);
    assert_int_equal(counts.kept, 1);
    assert_string_equal(counts.at[0].id, "A2");
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
        TEST(the_oldest_make_room),
        TEST(what_is_kept_is_not_counted_again),
        TEST(a_refusal_is_not_kept),
        TEST(a_request_that_is_none_costs_only_itself),
        TEST(an_answer_that_is_none_is_an_error),
    };
    open_channel();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is kept of what has happened, and from where one may go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/events/event_history.h"
#include "server/store/store.h"

enum { KEPT = 100 };

static void add(struct event_history *history, int64_t last, int count)
{
    char lines[4096] = "";
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += (size_t)snprintf(lines + size, sizeof lines - size, "state {\"n\":%lld}\n",
                                 (long long)(last - count + 1 + i));
    event_history_add(history,
                      &(struct store_events){.last = last, .count = count, .lines = lines, .size = size});
}

static void an_event_is_sent_as_it_was_told(void **state)
{
    (void)state;
    struct event_history *history = event_history_new(KEPT);
    struct event event;
    bool lost;
    event_history_add(history, &(struct store_events){.last = 1000});
    assert_null(event_history_next(history, 1000, &lost));
    assert_false(lost);
    static const char lines[] = "sweep {\"id\":\"a\"}\nqueue {\"device\":null}\n";
    event_history_add(history, &(struct store_events){1002, 2, lines, sizeof lines - 1});
    struct batch *batch = event_history_next(history, 1000, &lost);
    assert_true(batch_event(batch, 1, &event));
    assert_int_equal(event.kind, EVENT_QUEUE);
    assert_int_equal(event.id, 1002);
    static const char text[] = "id: 1002\nevent: queue\ndata: {\"device\":null}\n\n";
    assert_int_equal(event.size, sizeof text - 1);
    assert_memory_equal(event.text, text, sizeof text - 1);
    assert_false(batch_event(batch, 2, &event));
    batch_release(batch);
    event_history_free(history);
}

/* Numbers that were left out, and those of before what is kept, are not known. */
static void only_of_a_number_that_is_kept_one_may_go_on(void **state)
{
    (void)state;
    struct event_history *history = event_history_new(KEPT);
    add(history, 1010, 10);
    add(history, 2005, 5);
    const struct {
        int64_t id;
        bool known;
    } cases[] = {{999, false},  {1000, true},  {1001, true}, {1010, true}, {1011, false},
                 {1500, false}, {2000, false}, {2001, true}, {2005, true}, {2006, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(event_history_knows(history, cases[i].id), cases[i].known);
    assert_int_equal(event_history_last(history), 2005);
    event_history_free(history);
}

static void what_is_old_goes_and_whoever_was_there_hears_of_it(void **state)
{
    (void)state;
    struct event_history *history = event_history_new(KEPT);
    bool lost;
    for (int64_t last = 10; last <= 1000; last += 10)
        add(history, last, 10);
    assert_false(event_history_knows(history, 890));
    assert_true(event_history_knows(history, 900));
    assert_null(event_history_next(history, 890, &lost));
    assert_true(lost);
    int64_t heard = 900;
    int events = 0;
    for (struct batch *batch; (batch = event_history_next(history, heard, &lost)); batch_release(batch)) {
        struct event event;
        for (int i = 0; batch_event(batch, i, &event); i++, events++) {
            assert_int_equal(event.id, heard + 1);
            heard = event.id;
        }
    }
    assert_int_equal(events, KEPT);
    event_history_free(history);
}

/* What is being read stays, whatever comes after. */
static void a_batch_lives_as_long_as_it_is_held(void **state)
{
    (void)state;
    struct event_history *history = event_history_new(KEPT);
    struct event event;
    bool lost;
    add(history, 10, 10);
    struct batch *batch = event_history_next(history, 0, &lost);
    for (int64_t last = 20; last <= 1000; last += 10)
        add(history, last, 10);
    event_history_free(history);
    assert_true(batch_event(batch, 9, &event));
    assert_int_equal(event.id, 10);
    batch_release(batch);
}

static void lines_that_are_no_events_are_not_gone_on_from(void **state)
{
    (void)state;
    struct event_history *history = event_history_new(KEPT);
    add(history, 10, 10);
    event_history_add(history, &(struct store_events){11, 1, "rubbish\n", 8});
    assert_false(event_history_knows(history, 10));
    assert_true(event_history_knows(history, 11));
    add(history, 12, 1);
    assert_true(event_history_knows(history, 11));
    event_history_free(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_sent_as_it_was_told),
        cmocka_unit_test(only_of_a_number_that_is_kept_one_may_go_on),
        cmocka_unit_test(what_is_old_goes_and_whoever_was_there_hears_of_it),
        cmocka_unit_test(a_batch_lives_as_long_as_it_is_held),
        cmocka_unit_test(lines_that_are_no_events_are_not_gone_on_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

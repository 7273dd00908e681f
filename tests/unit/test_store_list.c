#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/store_fixture.h"

enum { MANY = 100 };

struct listed {
    char ids[MANY + 1][ID_BYTES];
    int count, stop_after;
};

static int list_each(void *arg, const struct job *job)
{
    struct listed *listed = arg;
    assert_non_null(job->request);
    if (listed->count > MANY)
        return -1;
    memcpy(listed->ids[listed->count++], job->id, ID_BYTES);
    return listed->stop_after && listed->count >= listed->stop_after;
}

static const struct store_filter all = {.state = -1, .device = -1, .limit = 1000};

static void list(struct store *store, struct store_filter filter, struct listed *listed)
{
    struct error error = {0};
    listed->count = 0;
    if (store_list(store, &filter, list_each, listed, &error) < 0)
        fail_msg("%s", error.text);
}

static void a_list_has_the_newest_first(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    static char ids[MANY][ID_BYTES];
    struct listed listed = {.stop_after = 0};
    list(store, all, &listed);
    assert_int_equal(listed.count, 0);
    for (int i = 0; i < MANY; i++)
        fixture_insert(store, "k", 0, "{}", ids[i]);
    list(store, all, &listed);
    assert_int_equal(listed.count, MANY);
    for (int i = 0; i < MANY; i++)
        assert_string_equal(listed.ids[i], ids[MANY - 1 - i]);
}

static void a_list_ends_at_its_limit_and_when_each_says_so(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char id[ID_BYTES];
    for (int i = 0; i < MANY; i++)
        fixture_insert(store, "k", 0, "{}", id);
    static const int limits[] = {0, 1, 31, 32, 33, 64, 99, 100, 101};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct store_filter filter = all;
        struct listed listed = {.stop_after = 0};
        filter.limit = limits[i];
        list(store, filter, &listed);
        assert_int_equal(listed.count, limits[i] < MANY ? limits[i] : MANY);
    }
    struct listed listed = {.stop_after = 7};
    list(store, all, &listed);
    assert_int_equal(listed.count, 7);
}

/* Pages that each begin behind the last id of the page before make the whole list, whatever is submitted
   meanwhile. */
static void pages_are_the_list_though_more_comes_in(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    static char ids[MANY][ID_BYTES];
    char newer[ID_BYTES];
    int left = MANY;
    for (int i = 0; i < MANY; i++)
        fixture_insert(store, "k", 0, "{}", ids[i]);
    struct store_filter filter = all;
    struct listed listed = {.stop_after = 0};
    filter.limit = 7;
    do {
        list(store, filter, &listed);
        for (int i = 0; i < listed.count; i++)
            assert_string_equal(listed.ids[i], ids[--left]);
        filter.before = ids[left];
        fixture_insert(store, "k", 0, "{}", newer);
    } while (listed.count == 7);
    assert_int_equal(left, 0);
}

static void filters_narrow_and_add_up(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char id[ID_BYTES];
    struct test_write tried;
    for (int i = 0; i < 24; i++) {
        test_write_insert(&tried, i % 2 ? "copy" : "triad", "{}");
        tried.experiment.device = i % 3;
        tried.submission.owner = i < 8 ? "ada" : i < 12 ? "bob" : NULL;
        assert_int_equal(test_write_commit(store, &tried), 0);
        memcpy(id, tried.experiment.id, ID_BYTES);
        if (i % 4 == 0) {
            test_write_change(&tried, id, JOB_FAILED);
            assert_int_equal(test_write_commit(store, &tried), 0);
        }
    }
    const struct {
        struct store_filter filter;
        int count;
    } cases[] = {
        {{.state = -1, .device = -1, .limit = 99}, 24},
        {{.kernel = "copy", .state = -1, .device = -1, .limit = 99}, 12},
        {{.kernel = "cop", .state = -1, .device = -1, .limit = 99}, 0},
        {{.state = JOB_FAILED, .device = -1, .limit = 99}, 6},
        {{.state = JOB_RUNNING, .device = -1, .limit = 99}, 0},
        {{.state = -1, .device = 2, .limit = 99}, 8},
        {{.kernel = "triad", .state = JOB_FAILED, .device = -1, .limit = 99}, 6},
        {{.kernel = "copy", .state = JOB_FAILED, .device = -1, .limit = 99}, 0},
        {{.kernel = "triad", .state = JOB_QUEUED, .device = 0, .limit = 99}, 2},
        {{.owner = "ada", .state = -1, .device = -1, .limit = 99}, 8},
        {{.owner = "ada", .state = JOB_FAILED, .device = -1, .limit = 99}, 2},
        {{.owner = "bob", .kernel = "copy", .state = JOB_QUEUED, .device = -1, .limit = 99}, 2},
        {{.owner = "bob", .state = -1, .device = 2, .limit = 99}, 2},
        {{.owner = "ad", .state = -1, .device = -1, .limit = 99}, 0},
        {{.kernel = "x' OR '1'='1", .state = -1, .device = -1, .limit = 99}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listed listed = {.stop_after = 0};
        list(store, cases[i].filter, &listed);
        assert_int_equal(listed.count, cases[i].count);
    }
}

/* Names and values with characters that mean something in SQL and in JSON paths. */
static void labels_are_found_whatever_they_are_called(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    static const struct {
        const char *json, *name, *value;
    } labels[] = {
        {"{\"course\": \"gpu-101\"}", "course", "gpu-101"},
        {"{\"course\": \"gpu-102\", \"group\": \"\"}", "course", "gpu-102"},
        {"{\"a.b\": \"1\"}", "a.b", "1"},
        {"{\"a\": \"x\"}", "a", "x"},
        {"{\"it's \\\"so\\\"\": \"'; DROP TABLE experiments; --\"}", "it's \"so\"",
         "'; DROP TABLE experiments; --"},
        {"{\"%\": \"_\"}", "%", "_"},
        {"{\"$.labels\": \"\\u00fc\"}", "$.labels", "\xc3\xbc"},
    };
    enum { LABELS = sizeof labels / sizeof *labels };
    char ids[LABELS][ID_BYTES], id[ID_BYTES];
    for (int i = 0; i < LABELS; i++) {
        char request[256];
        snprintf(request, sizeof request, "{\"kernel\": \"k\", \"labels\": %s}", labels[i].json);
        fixture_insert(store, "k", 0, request, ids[i]);
    }
    fixture_insert(store, "k", 0, "{\"course\": \"gpu-101\"}", id);
    fixture_insert(store, "k", 0, "{\"labels\": null}", id);
    struct listed listed = {.stop_after = 0};
    struct store_filter filter = all;
    for (int i = 0; i < LABELS; i++) {
        filter.label = labels[i].name;
        filter.label_value = labels[i].value;
        list(store, filter, &listed);
        assert_int_equal(listed.count, 1);
        assert_string_equal(listed.ids[0], ids[i]);
    }
    filter = all;
    filter.label = "course";
    list(store, filter, &listed);
    assert_int_equal(listed.count, 2);
    filter.label_value = "gpu";
    list(store, filter, &listed);
    assert_int_equal(listed.count, 0);
}

struct nested {
    struct store *store;
    int depth, deepest;
};

static int list_within(void *arg, const struct job *job)
{
    struct nested *nested = arg;
    char id[ID_BYTES];
    struct job *same = NULL;
    assert_int_equal(store_get(nested->store, job->id, &same, NULL), 0);
    job_free(same);
    fixture_insert(nested->store, "k", 0, "{}", id);
    if (++nested->depth > nested->deepest)
        nested->deepest = nested->depth;
    if (nested->depth < 8) {
        struct store_filter filter = all;
        filter.limit = 1;
        assert_int_equal(store_list(nested->store, &filter, list_within, nested, NULL), 0);
    }
    nested->depth--;
    return 0;
}

/* More lists at once than there are connections, and a write: no connection is held while a row is looked
   at. */
static void a_slow_reader_holds_nothing(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    struct nested nested = {.store = store};
    char id[ID_BYTES];
    fixture_insert(store, "k", 0, "{}", id);
    assert_int_equal(store_list(store, &all, list_within, &nested, NULL), 0);
    assert_int_equal(nested.deepest, 8);
}

static void a_list_that_takes_too_long_is_stopped(void **state)
{
    struct fixture *fixture = *state;
    char path[SCRATCH_BYTES + 32];
    struct listed listed = {.stop_after = 0};
    struct error error = {0};
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
                     " INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel,"
                     " request) SELECT printf('%026d', i), 'failed', 0, 0, 1, 1, 'k', '{}' FROM n;"
                     "INSERT INTO labels SELECT 'many', id, 'v' FROM experiments",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    struct store_filter filter = all;
    filter.label = "many";
    filter.kernel = "none";
    filter.within_ms = 1;
    assert_int_equal(store_list(fixture->store, &filter, list_each, &listed, &error), -1);
    assert_int_equal(error.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(error.text, "narrow it"));
    filter.within_ms = -1;
    list(fixture->store, filter, &listed);
    assert_int_equal(listed.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_list_that_takes_too_long_is_stopped, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_list_has_the_newest_first, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_list_ends_at_its_limit_and_when_each_says_so, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(pages_are_the_list_though_more_comes_in, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(filters_narrow_and_add_up, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(labels_are_found_whatever_they_are_called, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_slow_reader_holds_nothing, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is removed, in which order and in how small steps. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "tests/unit/support/store_fixture.h"
#include "tests/unit/support/vfs_powercut.h"

static void end_at(struct store *store, const char *id, int64_t finished_ms, const char *result)
{
    struct test_write tried;
    test_write_change(&tried, id, JOB_SUCCEEDED);
    tried.write.changes[0].finished_ms = finished_ms;
    tried.write.changes[0].result = result;
    assert_int_equal(test_write_commit(store, &tried), 0);
}

static void alone_ended_at(struct store *store, int64_t finished_ms, char id[ID_BYTES])
{
    fixture_insert(store, "k", 0, "{\"labels\":{\"a\":\"b\"}}", id);
    end_at(store, id, finished_ms, "{}");
}

enum { MANY = 1000 };

struct swept {
    char id[ID_BYTES];
    char experiments[MANY][ID_BYTES];
};

/* Inserts a sweep of so many queued experiments, one point each. */
static struct swept *sweep_insert(struct store *store, int count)
{
    struct swept *swept = calloc(1, sizeof *swept);
    struct store_experiment *experiments = calloc((size_t)count, sizeof *experiments);
    struct sweep_point *points = calloc((size_t)count, sizeof *points);
    struct test_write tried;
    assert_non_null(swept);
    id_next(swept->id);
    for (int i = 0; i < count; i++) {
        experiments[i] = (struct store_experiment){
            .kernel = "k", .request = "{\"labels\":{\"a\":\"b\"}}", .timeout_s = 1, .points = 1};
        id_next(experiments[i].id);
        memcpy(swept->experiments[i], experiments[i].id, ID_BYTES);
        points[i] = (struct sweep_point){.experiment = i, .values = "{}"};
    }
    test_write_insert(&tried, "k", "{}");
    tried.submission = (struct store_submission){.experiments = experiments,
                                                 .count = count,
                                                 .sweep = swept->id,
                                                 .request = "{}",
                                                 .points = points,
                                                 .point_count = count,
                                                 .rounds = 1,
                                                 .submitted_ms = 1};
    assert_int_equal(test_write_commit(store, &tried), 0);
    free(experiments);
    free(points);
    return swept;
}

static void sweep_end(struct store *store, const struct swept *swept, int count, int64_t last_ms)
{
    for (int i = 0; i < count; i++)
        end_at(store, swept->experiments[i], last_ms - count + 1 + i, "{}");
}

/* Makes one step; returns the kind of its error. */
static enum error_kind step(struct store *store, struct store_removal *removal)
{
    struct test_write tried;
    test_write_change(&tried, (char[ID_BYTES]){0}, JOB_QUEUED);
    tried.write.change_count = 0;
    tried.write.removal = removal;
    test_write_commit(store, &tried);
    return tried.failed.kind;
}

/* Removes to the end; returns how many steps that took. */
static int run(struct store *store, struct store_removal *removal)
{
    int steps = 0;
    do
        assert_int_equal(step(store, removal), ERROR_NONE);
    while (steps++ < 10000 && removal->more);
    assert_false(removal->more);
    return steps;
}

static bool there(struct store *store, const char *id)
{
    struct job *job = NULL;
    store_get(store, id, &job, NULL);
    job_free(job);
    return job != NULL;
}

static enum error_kind sweep_there(struct store *store, const char *id)
{
    struct error error = {0};
    struct sweep_row row;
    store_sweep(store, id, &row, &error);
    sweep_row_clear(&row);
    return error.kind;
}

/* Hides or restores; returns the kind of the error. */
static enum error_kind mark_until(struct store *store, bool sweep, const char *id, bool restore,
                                  int64_t until_ms)
{
    struct store_mark mark = {
        .sweep = sweep, .restore = restore, .by = "ada", .now_ms = 1, .until_ms = until_ms};
    struct test_write tried;
    test_write_change(&tried, (char[ID_BYTES]){0}, JOB_QUEUED);
    memcpy(mark.id, id, ID_BYTES);
    tried.write.change_count = 0;
    tried.write.mark = &mark;
    test_write_commit(store, &tried);
    return tried.failed.kind;
}

static enum error_kind mark(struct store *store, bool sweep, const char *id, bool restore)
{
    return mark_until(store, sweep, id, restore, 100);
}

static int count_job(void *arg, const struct job *job)
{
    (void)job;
    ++*(int *)arg;
    return 0;
}

static int listed(struct store *store)
{
    struct store_filter filter = {.state = -1, .device = -1, .limit = 10000};
    int count = 0;
    assert_int_equal(store_list(store, &filter, count_job, &count, NULL), 0);
    return count;
}

/* Counts the rows of a table, on another connection. */
static int rows_of(const struct fixture *fixture, const char *table)
{
    char path[SCRATCH_BYTES + 32], sql[64];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}

static void what_ended_first_goes_first_and_sweeps_go_whole(void **state)
{
    struct fixture *fixture = *state;
    struct store *store = fixture->store;
    char at_10[ID_BYTES], at_30[ID_BYTES], at_50[ID_BYTES];
    struct swept *at_20 = sweep_insert(store, 3), *half = sweep_insert(store, 3);
    alone_ended_at(store, 50, at_50);
    alone_ended_at(store, 10, at_10);
    alone_ended_at(store, 30, at_30);
    sweep_end(store, at_20, 3, 20);
    end_at(store, half->experiments[0], 1, "{}");

    struct store_removal removal = {.ended_before_ms = 20};
    run(store, &removal);
    assert_false(there(store, at_10));
    assert_int_equal(sweep_there(store, at_20->id),
                     ERROR_NONE); /* two of its experiments ended before that */
    assert_true(there(store, at_20->experiments[0]));
    removal.ended_before_ms = 21;
    run(store, &removal);
    assert_int_equal(sweep_there(store, at_20->id), ERROR_NOT_FOUND);
    assert_false(there(store, at_20->experiments[0]) || there(store, at_20->experiments[2]));
    assert_true(there(store, at_30));
    removal.ended_before_ms = 1000;
    run(store, &removal);
    assert_false(there(store, at_30) || there(store, at_50));
    /* It has not ended, so nothing of it is removed. */
    assert_int_equal(sweep_there(store, half->id), ERROR_NONE);
    assert_true(there(store, half->experiments[0]));
    assert_int_equal(rows_of(fixture, "points"), 3);
    assert_int_equal(rows_of(fixture, "labels"), 3);
    free(at_20);
    free(half);
}

static void without_a_policy_all_stays(void **state)
{
    struct fixture *fixture = *state;
    char id[ID_BYTES];
    alone_ended_at(fixture->store, 1, id);
    struct store_removal removal = {0};
    assert_int_equal(run(fixture->store, &removal), 1);
    assert_true(there(fixture->store, id));
}

static void a_sweep_that_was_cancelled_has_ended(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, 3);
    const struct error failure = {.kind = ERROR_CANCELLED, .text = "so"};
    struct store_cancel cancel = {.finished_ms = 5, .failure = &failure};
    struct test_write tried;
    test_write_change(&tried, (char[ID_BYTES]){0}, JOB_QUEUED);
    memcpy(cancel.sweep, swept->id, ID_BYTES);
    tried.write.change_count = 0;
    tried.write.cancel = &cancel;
    assert_int_equal(test_write_commit(fixture->store, &tried), 0);
    struct store_removal removal = {.ended_before_ms = 6};
    run(fixture->store, &removal);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    free(swept);
}

/* Nobody sees it any more, so it goes before what is seen, and first what was removed first. */
static void with_too_much_what_was_removed_goes_first(void **state)
{
    enum { COUNT = 200, RESULT = 16000, KEEP = 2 << 20 };
    struct fixture *fixture = *state;
    static char result[RESULT + 3], ids[COUNT][ID_BYTES];
    memset(result, 'x', RESULT);
    for (int i = 0; i < COUNT; i++) {
        fixture_insert(fixture->store, "k", 0, "{}", ids[i]);
        end_at(fixture->store, ids[i], i + 1, result);
    }
    for (int i = COUNT - 1; i >= COUNT / 4; i--)
        assert_int_equal(mark_until(fixture->store, false, ids[i], false, 1000 - i), ERROR_NONE);
    struct store_removal removal = {.keep_bytes = KEEP, .now_ms = 1};
    run(fixture->store, &removal);
    assert_int_equal(listed(fixture->store), COUNT / 4);
    assert_int_equal(mark(fixture->store, false, ids[COUNT - 1], true), ERROR_NOT_FOUND);
    assert_int_equal(mark(fixture->store, false, ids[COUNT / 4], true), ERROR_NONE);
}

static void by_age_what_was_removed_has_its_time(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char seen[ID_BYTES], gone[ID_BYTES];
    struct swept *swept = sweep_insert(store, 2);
    alone_ended_at(store, 1, gone);
    alone_ended_at(store, 2, seen);
    sweep_end(store, swept, 2, 3);
    assert_int_equal(mark(store, false, gone, false), ERROR_NONE);
    assert_int_equal(mark(store, true, swept->id, false), ERROR_NONE);
    struct store_removal removal = {.now_ms = 99, .ended_before_ms = 50};
    run(store, &removal);
    assert_false(there(store, seen));
    assert_int_equal(mark(store, false, gone, true), ERROR_NONE);
    assert_int_equal(mark(store, true, swept->id, true), ERROR_NONE);
    assert_int_equal(listed(store), 3);
    free(swept);
}

static void a_large_sweep_goes_in_small_steps_and_is_hidden_from_the_first_on(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    struct store_removal removal = {.now_ms = 99};
    assert_int_equal(mark(fixture->store, true, swept->id, false), ERROR_NONE);
    assert_int_equal(run(fixture->store, &removal), 1); /* its time is not over */
    assert_int_equal(rows_of(fixture, "experiments"), MANY);
    removal.now_ms = 100;
    int gone = 0;
    do {
        assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
        assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
        assert_true(removal.count <= STORE_REMOVED_MAX);
        for (int i = 0; i < removal.count; i++)
            assert_false(there(fixture->store, removal.removed[i]));
        gone += removal.count;
        assert_int_equal(mark(fixture->store, true, swept->id, true), ERROR_NOT_FOUND);
    } while (removal.more);
    assert_int_equal(gone, MANY);
    static const char *const tables[] = {"experiments", "points", "sweeps", "labels", "removals"};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rows_of(fixture, tables[i]), 0);
    free(swept);
}

static void what_a_crash_left_half_removed_goes_after_the_next_start(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    struct store_removal removal = {.now_ms = 100};
    assert_int_equal(mark(fixture->store, true, swept->id, false), ERROR_NONE);
    assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
    assert_true(removal.more);
    store_close(fixture->store);
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, NULL), 0);
    assert_true(rows_of(fixture, "points") > 0);
    struct store_removal rest = {0};
    run(fixture->store, &rest);
    assert_int_equal(rows_of(fixture, "experiments"), 0);
    assert_int_equal(rows_of(fixture, "points"), 0);
    assert_int_equal(rows_of(fixture, "sweeps"), 0);
    free(swept);
}

static int64_t file_bytes(const struct fixture *fixture)
{
    char path[SCRATCH_BYTES + 32];
    struct stat status;
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void the_file_shrinks_to_the_policys_size(void **state)
{
    enum { COUNT = 400, RESULT = 16000, KEEP = 2 << 20 };
    struct fixture *fixture = *state;
    static char result[RESULT + 3];
    memset(result, 'x', RESULT);
    char first[ID_BYTES] = "", last[ID_BYTES] = "";
    for (int i = 0; i < COUNT; i++) {
        fixture_insert(fixture->store, "k", 0, "{}", last);
        end_at(fixture->store, last, i + 1, result);
        if (!i)
            memcpy(first, last, ID_BYTES);
    }
    assert_true(file_bytes(fixture) > 3 * KEEP / 2);
    struct store_removal removal = {.keep_bytes = KEEP};
    assert_true(run(fixture->store, &removal) > 1);
    assert_false(there(fixture->store, first));
    assert_true(there(fixture->store, last));
    int left = rows_of(fixture, "experiments");
    assert_true(left > KEEP / (RESULT * 2) && left < COUNT);
    /* A 64th and some pages may be free. */
    assert_true(file_bytes(fixture) <= KEEP + KEEP / 64 + 100 * 4096);
}

static void what_has_not_ended_or_is_not_there_is_refused(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    static const char unknown[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    assert_int_equal(mark(store, false, unknown, false), ERROR_NOT_FOUND);
    assert_int_equal(mark(store, true, unknown, false), ERROR_NOT_FOUND);
    assert_int_equal(mark(store, true, unknown, true), ERROR_NOT_FOUND);
    struct swept *swept = sweep_insert(store, 2);
    end_at(store, swept->experiments[0], 5, "{}");
    assert_int_equal(mark(store, true, swept->id, false), ERROR_CONFLICT);
    assert_int_equal(mark(store, false, swept->experiments[1], false), ERROR_CONFLICT);
    assert_int_equal(mark(store, false, swept->experiments[0], false), ERROR_NONE);
    assert_int_equal(mark(store, false, swept->experiments[0], false), ERROR_NOT_FOUND);
    assert_int_equal(sweep_there(store, swept->id), ERROR_NONE);
    assert_true(there(store, swept->experiments[1]) && !there(store, swept->experiments[0]));
    assert_true(store_healthy(store, NULL));
    free(swept);
}

static void what_was_removed_is_hidden_counted_nowhere_and_restored_as_it_was(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, 3);
    struct sweep_row row;
    sweep_end(fixture->store, swept, 3, 10);
    assert_int_equal(mark(fixture->store, false, swept->experiments[0], false), ERROR_NONE);
    assert_int_equal(store_sweep(fixture->store, swept->id, &row, NULL), 0);
    assert_int_equal(row.removed, 1);
    assert_int_equal(row.states[JOB_SUCCEEDED], 2);
    sweep_row_clear(&row);
    assert_int_equal(listed(fixture->store), 2);
    assert_int_equal(mark(fixture->store, true, swept->id, false), ERROR_NONE);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    assert_int_equal(listed(fixture->store), 0);

    /* A crash between a removal and its end changes nothing. */
    store_close(fixture->store);
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, NULL), 0);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    assert_int_equal(mark(fixture->store, true, swept->id, true), ERROR_NONE);
    assert_int_equal(listed(fixture->store), 2); /* the one that went by itself stays removed */
    assert_int_equal(mark(fixture->store, false, swept->experiments[0], true), ERROR_NONE);
    /* What is there again is restored: who asks twice is told so. */
    assert_int_equal(mark(fixture->store, false, swept->experiments[0], true), ERROR_NONE);
    assert_int_equal(store_sweep(fixture->store, swept->id, &row, NULL), 0);
    assert_int_equal(row.removed, 0);
    assert_true(row.finished_ms == 10);
    sweep_row_clear(&row);
    struct store_removal removal = {.now_ms = 1000};
    run(fixture->store, &removal);
    assert_int_equal(listed(fixture->store), 3);
    free(swept);
}

/* What is left of a sweep goes when the disk takes writes again. */
static void a_sweep_that_is_half_deleted_when_the_disk_fails_goes_later(void **state)
{
    struct fixture *fixture = *state;
    struct store_removal removal = {.now_ms = 100};
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    assert_int_equal(mark(fixture->store, true, swept->id, false), ERROR_NONE);
    assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
    assert_true(removal.more);
    powercut_fill(true);
    assert_int_not_equal(step(fixture->store, &removal), ERROR_NONE);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    powercut_fill(false);
    struct store_removal rest = {0};
    run(fixture->store, &rest);
    assert_int_equal(rows_of(fixture, "experiments"), 0);
    free(swept);
}

int main(void)
{
#define WITH_A_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_A_STORE(what_ended_first_goes_first_and_sweeps_go_whole),
        WITH_A_STORE(without_a_policy_all_stays),
        WITH_A_STORE(a_sweep_that_was_cancelled_has_ended),
        WITH_A_STORE(with_too_much_what_was_removed_goes_first),
        WITH_A_STORE(by_age_what_was_removed_has_its_time),
        WITH_A_STORE(a_large_sweep_goes_in_small_steps_and_is_hidden_from_the_first_on),
        WITH_A_STORE(what_a_crash_left_half_removed_goes_after_the_next_start),
        WITH_A_STORE(the_file_shrinks_to_the_policys_size),
        WITH_A_STORE(what_has_not_ended_or_is_not_there_is_refused),
        WITH_A_STORE(what_was_removed_is_hidden_counted_nowhere_and_restored_as_it_was),
        cmocka_unit_test_setup_teardown(a_sweep_that_is_half_deleted_when_the_disk_fails_goes_later,
                                        fixture_setup_powercut, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

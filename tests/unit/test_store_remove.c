/* What is removed, in which order and in how small steps; and the reserve of the disk. */
#include <semaphore.h>
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
#include "server/store/data_directory.h"
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

/* Makes the disk fail as soon as a part of the sweep is removed. */
struct half {
    sem_t ended;
    struct error failed;
};

static void half_removed(void *arg, const char *id)
{
    (void)arg;
    (void)id;
    powercut_fill(true);
}

static void half_done(void *arg, const struct error *failed)
{
    struct half *half = arg;
    if (failed)
        half->failed = *failed;
    sem_post(&half->ended);
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

    struct store_removal removal = {.what = REMOVE_OLDEST, .ended_before_ms = 20};
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
    struct store_removal removal = {.what = REMOVE_OLDEST};
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
    struct store_removal removal = {.what = REMOVE_OLDEST, .ended_before_ms = 6};
    run(fixture->store, &removal);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    free(swept);
}

static void a_large_sweep_goes_in_small_steps_and_is_hidden_from_the_first_on(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    struct store_removal removal = {.what = REMOVE_SWEEP};
    memcpy(removal.id, swept->id, ID_BYTES);
    int gone = 0;
    do {
        assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
        assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
        assert_true(removal.count <= STORE_REMOVED_MAX);
        for (int i = 0; i < removal.count; i++)
            assert_false(there(fixture->store, removal.removed[i]));
        gone += removal.count;
    } while (removal.more);
    assert_int_equal(gone, MANY);
    static const char *const tables[] = {"experiments", "points", "sweeps", "labels"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rows_of(fixture, tables[i]), 0);
    free(swept);
}

static void what_a_crash_left_half_removed_goes_after_the_next_start(void **state)
{
    struct fixture *fixture = *state;
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    struct store_removal removal = {.what = REMOVE_SWEEP};
    memcpy(removal.id, swept->id, ID_BYTES);
    assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
    assert_true(removal.more);
    store_close(fixture->store);
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, NULL), 0);
    assert_true(rows_of(fixture, "points") > 0);
    struct store_removal rest = {.what = REMOVE_OLDEST};
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
    struct store_removal removal = {.what = REMOVE_OLDEST, .keep_bytes = KEEP};
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
    struct fixture *fixture = *state;
    struct store_removal removal = {.what = REMOVE_EXPERIMENT, .id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"};
    assert_int_equal(step(fixture->store, &removal), ERROR_NOT_FOUND);
    removal.what = REMOVE_SWEEP;
    assert_int_equal(step(fixture->store, &removal), ERROR_NOT_FOUND);
    struct swept *swept = sweep_insert(fixture->store, 2);
    end_at(fixture->store, swept->experiments[0], 5, "{}");
    memcpy(removal.id, swept->id, ID_BYTES);
    assert_int_equal(step(fixture->store, &removal), ERROR_CONFLICT);
    removal.what = REMOVE_EXPERIMENT;
    memcpy(removal.id, swept->experiments[1], ID_BYTES);
    assert_int_equal(step(fixture->store, &removal), ERROR_CONFLICT);
    memcpy(removal.id, swept->experiments[0], ID_BYTES);
    assert_int_equal(step(fixture->store, &removal), ERROR_NONE);
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NONE);
    assert_true(there(fixture->store, swept->experiments[1]) &&
                !there(fixture->store, swept->experiments[0]));
    assert_true(store_healthy(fixture->store, NULL));
    free(swept);
}

static void a_reserve_is_never_more_than_half_of_the_disk(void **state)
{
    (void)state;
    static const int64_t cases[][3] = {/* configured, size of the disk, reserved */
                                       {256, 10000, 256},
                                       {256, 512, 256},
                                       {256, 100, 50},
                                       {0, 100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(disk_reserve_bytes(cases[i][0], cases[i][1]), cases[i][2]);
}

/* It is hidden, and removed when the disk takes writes again, so the answer is not that nothing was done. */
static void a_removal_that_fails_after_its_first_step_is_uncertain(void **state)
{
    struct fixture *fixture = *state;
    struct half half = {0};
    struct error error = {0};
    struct store_removal rest = {.what = REMOVE_OLDEST};
    struct swept *swept = sweep_insert(fixture->store, MANY);
    sweep_end(fixture->store, swept, MANY, 2000);
    sem_init(&half.ended, 0, 0);
    assert_int_equal(
        store_remove(fixture->store, STORE_SWEEP, swept->id, half_removed, half_done, &half, &error), 0);
    sem_wait(&half.ended);
    sem_destroy(&half.ended);
    assert_int_equal(half.failed.kind, ERROR_UNCERTAIN);
    assert_non_null(strstr(half.failed.text, "is removed once"));
    assert_int_equal(sweep_there(fixture->store, swept->id), ERROR_NOT_FOUND);
    powercut_fill(false);
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
        WITH_A_STORE(a_large_sweep_goes_in_small_steps_and_is_hidden_from_the_first_on),
        WITH_A_STORE(what_a_crash_left_half_removed_goes_after_the_next_start),
        WITH_A_STORE(the_file_shrinks_to_the_policys_size),
        WITH_A_STORE(what_has_not_ended_or_is_not_there_is_refused),
        cmocka_unit_test_setup_teardown(a_removal_that_fails_after_its_first_step_is_uncertain,
                                        fixture_setup_powercut, fixture_teardown),
        cmocka_unit_test(a_reserve_is_never_more_than_half_of_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/store/data_directory.h"
#include "server/store/schema.h"
#include "tests/unit/support/store_fixture.h"

static void a_second_opener_is_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    struct store *second = NULL;
    struct error error = {0};
    char pid[32];
    snprintf(pid, sizeof pid, "process %d", (int)getpid());
    assert_int_equal(store_open(&second, fixture->directory, NULL, &error), -1);
    assert_null(second);
    assert_int_equal(error.kind, ERROR_CONFLICT);
    assert_non_null(strstr(error.text, fixture->directory));
    assert_non_null(strstr(error.text, pid));
}

static void a_missing_directory_is_made_with_its_parents(void **state)
{
    struct fixture *fixture = *state;
    char deep[SCRATCH_BYTES + 32];
    snprintf(deep, sizeof deep, "%s/a/b//c/", fixture->directory);
    struct store *store = NULL;
    assert_int_equal(store_open(&store, deep, NULL, NULL), 0);
    store_close(store);
}

static void nobody_else_may_read_the_database_in_a_directory_that_was_there(void **state)
{
    struct fixture *fixture = *state;
    char directory[SCRATCH_BYTES + 32], path[SCRATCH_BYTES + 64];
    snprintf(directory, sizeof directory, "%s/open", fixture->directory);
    mode_t before = umask(022);
    assert_int_equal(mkdir(directory, 0755), 0);
    struct store *store = NULL;
    assert_int_equal(store_open(&store, directory, NULL, NULL), 0);
    umask(before);
    const char *names[] = {"coalesced.db", "coalesced.db-wal", "coalesced.db-shm"};
    for (int i = 0; i < 3; i++) {
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
    }
    store_close(store);
}

static void a_directory_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct error error = {0};
    assert_int_equal(store_open(&store, "/dev/null/data", NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "/dev/null"));
}

static sqlite3 *database_open(const struct fixture *fixture)
{
    char path[SCRATCH_BYTES + 32];
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static void database_answers(sqlite3 *db, const char *sql, const char *wanted)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), wanted);
    sqlite3_finalize(statement);
}

static void the_database_is_set_up_for_durability(void **state)
{
    sqlite3 *db = database_open(*state);
    database_answers(db, "PRAGMA journal_mode", "wal");
    database_answers(db, "PRAGMA auto_vacuum", "2");
    char version[16];
    snprintf(version, sizeof version, "%d", schema_newest());
    database_answers(db, "PRAGMA user_version", version);
    sqlite3_close(db);
}

static void a_database_of_a_newer_version_is_left_alone(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    fixture->store = NULL;
    sqlite3 *db = database_open(fixture);
    sqlite3_exec(db, "PRAGMA user_version = 999", NULL, NULL, NULL);
    sqlite3_close(db);
    struct error error = {0};
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, &error), -1);
    assert_non_null(strstr(error.text, "newer version (999)"));
}

static void a_file_that_is_no_database_is_refused(void **state)
{
    struct fixture *fixture = *state;
    char path[SCRATCH_BYTES + 32];
    store_close(fixture->store);
    fixture->store = NULL;
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", file);
    fclose(file);
    struct error error = {0};
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_STORE);
    assert_non_null(strstr(error.text, "not a database"));
}

static void name_of(const struct fixture *fixture, const char *end, char path[SCRATCH_BYTES + 32])
{
    snprintf(path, SCRATCH_BYTES + 32, "%s/coalesced.db%s", fixture->directory, end);
}

enum { LOOKS_MAX = 30000 }; /* a millisecond apart, at what happens once a second */

/* Refuses writes until the file is put back, and then takes them again. */
static void a_database_that_is_moved_away_takes_nothing(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    struct fixture *fixture = *state;
    char path[SCRATCH_BYTES + 32], away[SCRATCH_BYTES + 32], id[ID_BYTES];
    for (int i = 0; i < 3; i++) {
        struct error error = {0};
        struct test_write tried;
        name_of(fixture, ends[i], path);
        name_of(fixture, ".away", away);
        assert_true(store_in_place(fixture->store, &error));
        assert_int_equal(rename(path, away), 0);
        assert_false(store_in_place(fixture->store, &error));
        assert_non_null(strstr(error.text, "coalesced.db"));
        for (int waited = 0; i == 2 && waited < LOOKS_MAX && store_healthy(fixture->store, NULL); waited++)
            usleep(1000); /* the index is checked each second, the others before each transaction */
        test_write_insert(&tried, "k", "{}");
        assert_int_equal(test_write_commit(fixture->store, &tried), -1);
        assert_int_equal(tried.failed.kind, ERROR_STORE);
        assert_false(store_healthy(fixture->store, NULL));
        assert_int_equal(rename(away, path), 0);
        assert_true(store_in_place(fixture->store, NULL));
        fixture_insert(fixture->store, "k", 0, "{}", id);
        assert_int_equal(store_get(fixture->store, tried.experiment.id, &(struct job *){NULL}, NULL), -1);
    }
}

/* The writer notices it without a write and without a question. */
static void a_database_that_is_replaced_is_noticed(void **state)
{
    struct fixture *fixture = *state;
    char path[SCRATCH_BYTES + 32], away[SCRATCH_BYTES + 32];
    name_of(fixture, "", path);
    name_of(fixture, ".away", away);
    assert_int_equal(rename(path, away), 0);
    FILE *other = fopen(path, "w");
    fclose(other);
    for (int i = 0; i < LOOKS_MAX && store_healthy(fixture->store, NULL); i++)
        usleep(1000);
    struct error error = {0};
    assert_false(store_healthy(fixture->store, &error));
    assert_non_null(strstr(error.text, "is another file"));
    assert_int_equal(rename(away, path), 0);
    for (int i = 0; i < LOOKS_MAX && !store_healthy(fixture->store, NULL); i++)
        usleep(1000);
    assert_true(store_healthy(fixture->store, NULL));
}

static void ids_are_greater_than_the_stored_ones(void **state)
{
    struct fixture *fixture = *state;
    sqlite3 *db = database_open(fixture);
    const char *future = "7ZZZZZZZZZ0000000000000000";
    sqlite3_exec(
        db,
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request)"
        " VALUES ('7ZZZZZZZZZ0000000000000000', 'queued', 0, 0, 1, 1, 'k', '{}')",
        NULL, NULL, NULL);
    sqlite3_close(db);
    store_close(fixture->store);
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, NULL), 0);
    char id[ID_BYTES];
    id_next(id);
    assert_true(strcmp(id, future) > 0);
}

static void events_of_earlier_starts_are_removed_too(void **state)
{
    struct fixture *fixture = *state;
    char id[ID_BYTES];
    store_close(fixture->store);
    sqlite3 *db = database_open(fixture);
    assert_int_equal(
        sqlite3_exec(
            db,
            "WITH RECURSIVE earlier (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM earlier WHERE n < 40)"
            " INSERT INTO events (last, count, lines)"
            " SELECT (SELECT max(last) FROM events) + n * 1024, 1024, '' FROM earlier",
            NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(store_open(&fixture->store, fixture->directory, NULL, NULL), 0);
    fixture_insert(fixture->store, "copy", 0, "{\"kernel\":\"copy\"}", id);
    char enough[160];
    snprintf(enough, sizeof enough, "SELECT sum(count) BETWEEN %d AND %d FROM events",
             STORE_EVENTS_MAX - 1024, STORE_EVENTS_MAX);
    database_answers(db, enough, "1");
    sqlite3_close(db);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_opener_is_refused_by_name, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(nobody_else_may_read_the_database_in_a_directory_that_was_there,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_missing_directory_is_made_with_its_parents, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_cannot_be_made_is_named, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(the_database_is_set_up_for_durability, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_database_of_a_newer_version_is_left_alone, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_database_is_refused, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_database_that_is_moved_away_takes_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_database_that_is_replaced_is_noticed, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(ids_are_greater_than_the_stored_ones, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(events_of_earlier_starts_are_removed_too, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test(a_reserve_is_never_more_than_half_of_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

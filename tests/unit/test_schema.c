#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "server/store/schema.h"

static int database_open(void **state)
{
    sqlite3 *db = NULL;
    *state = db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return -1;
    *state = db;
    return 0;
}

static int database_close(void **state)
{
    return sqlite3_close(*state);
}

static int number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static const char *const grown[] = {
    "CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1)",
    "ALTER TABLE numbers ADD COLUMN twice INTEGER; UPDATE numbers SET twice = 2 * number",
    "CREATE INDEX numbers_by_twice ON numbers (twice)",
};

static void an_empty_file_gets_every_step(void **state)
{
    assert_int_equal(schema_migrate_steps(*state, grown, 3, NULL), 0);
    assert_int_equal(number_of(*state, "PRAGMA user_version"), SCHEMA_FIRST_VERSION + 2);
    assert_int_equal(
        number_of(*state, "SELECT twice FROM numbers INDEXED BY numbers_by_twice WHERE twice = 2"), 2);
}

static void an_older_version_gets_the_steps_that_it_lacks(void **state)
{
    for (int count = 1; count <= 3; count++) {
        assert_int_equal(schema_migrate_steps(*state, grown, count, NULL), 0);
        assert_int_equal(number_of(*state, "PRAGMA user_version"), SCHEMA_FIRST_VERSION + count - 1);
        assert_int_equal(schema_migrate_steps(*state, grown, count, NULL), 0);
        assert_int_equal(number_of(*state, "SELECT count(*) FROM numbers"), 1);
    }
    assert_int_equal(number_of(*state, "SELECT twice FROM numbers"), 2);
}

static void a_step_that_fails_leaves_the_version_before_it(void **state)
{
    const char *const failing[] = {grown[0], grown[1], "UPDATE numbers SET twice = 7; SELECT nothing"};
    struct error error = {0};
    assert_int_equal(schema_migrate_steps(*state, failing, 3, &error), -1);
    assert_int_equal(error.kind, ERROR_STORE);
    assert_int_equal(number_of(*state, "PRAGMA user_version"), SCHEMA_FIRST_VERSION + 1);
    assert_int_equal(number_of(*state, "SELECT twice FROM numbers"), 2);
    assert_int_equal(schema_migrate_steps(*state, grown, 3, NULL), 0);
}

static void versions_that_are_not_read_are_refused(void **state)
{
    static const struct {
        const char *set, *said;
    } cases[] = {{"PRAGMA user_version = 7", "from before the first release"},
                 {"PRAGMA user_version = 1", "move the file away"},
                 {"PRAGMA user_version = 11", "newer version (11)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        sqlite3_exec(*state, cases[i].set, NULL, NULL, NULL);
        assert_int_equal(schema_migrate_steps(*state, grown, 3, &error), -1);
        assert_int_equal(error.kind, ERROR_STORE);
        assert_non_null(strstr(error.text, cases[i].said));
        assert_int_equal(number_of(*state, "SELECT count(*) FROM sqlite_schema"), 0);
    }
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, database_open, database_close)
    const struct CMUnitTest tests[] = {
        ONE(an_empty_file_gets_every_step),
        ONE(an_older_version_gets_the_steps_that_it_lacks),
        ONE(a_step_that_fails_leaves_the_version_before_it),
        ONE(versions_that_are_not_read_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of devices that come one after the other, more than there are numbers. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/devices/device_identity.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"

enum { NAMES = 10000, LIST = 100 };

struct fixture {
    struct service service;
    struct devices *devices;
    struct device_identity identity;
    struct roster *roster;
    struct executor_config entries[DEVICES_MAX];
};

static void begin(struct fixture *f)
{
    struct error error = {0};
    service_start(&f->service);
    f->devices = devices_new(DEVICES_MAX);
    f->identity = (struct device_identity){f->service.store, f->devices};
    if (device_identity_publish(&f->identity, &error) < 0)
        fail_msg("%s", error.text);
}

static void end(struct fixture *f)
{
    devices_free(f->devices);
    service_stop(&f->service);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->roster = calloc(1, sizeof *f->roster);
    for (int i = 0; i < DEVICES_MAX; i++)
        f->roster->entries[i] = &f->entries[i];
    service_init(&f->service, NULL);
    f->service.config.devices = DEVICES_MAX;
    begin(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    end(f);
    scratch_remove(f->service.directory);
    free(f->roster);
    free(f);
    return 0;
}

/* A list of so many new names, from that one on. How many were left out. */
static int number(struct fixture *f, int from, int count, int numbers[DEVICES_MAX])
{
    struct error error = {0};
    struct numbering numbering;
    struct device_set none = {{0}};
    int out = 0;
    f->roster->count = count;
    for (int i = 0; i < count; i++)
        snprintf(f->roster->entries[i]->listing.name, DEVICE_NAME_BYTES, "device%d", from + i);
    if (device_identity_number(&f->identity, f->roster, &none, &numbering, &error) < 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < count; i++) {
        numbers[i] = f->roster->entries[i]->number;
        out += numbers[i] < 0;
        if (numbers[i] >= 0)
            devices_set_listing(f->devices, numbers[i], &f->roster->entries[i]->listing);
    }
    assert_int_equal(numbering.no_number_error.kind, out ? ERROR_INVALID : ERROR_NONE);
    return out;
}

static void count_row(void *arg, const struct store_device *device)
{
    (void)device;
    ++*(int *)arg;
}

static int rows_of(struct fixture *f)
{
    struct error error = {0};
    int rows = 0;
    assert_int_equal(store_devices(f->service.store, count_row, &rows, &error), 0);
    return rows;
}

static void ten_thousand_names_have_no_more_rows_than_there_are_numbers(void **state)
{
    struct fixture *f = *state;
    int numbers[DEVICES_MAX];
    for (int from = 0; from < NAMES; from += LIST)
        assert_int_equal(number(f, from, LIST, numbers), 0);
    assert_int_equal(rows_of(f), DEVICES_MAX);
    end(f);
    begin(f);
    assert_int_equal(rows_of(f), DEVICES_MAX);
    assert_int_equal(number(f, NAMES - LIST, LIST, numbers), 0); /* the same names have the same numbers */
    for (int i = 0; i < LIST; i++)
        assert_int_equal(devices_named(f->devices, f->roster->entries[i]->listing.name), numbers[i]);
    assert_int_equal(devices_count(f->devices), DEVICES_MAX);
}

static void on_held(void *arg, const struct error *failed)
{
    (void)arg;
    assert_null(failed);
}

/* An experiment that waits there, one that lost a run there, a hold. */
static void a_number_is_not_given_again_while_anything_stored_refers_to_it(void **state)
{
    struct fixture *f = *state;
    struct queue *queue = f->service.queue;
    struct error error = {0};
    int numbers[DEVICES_MAX];
    char id[ID_BYTES];
    assert_int_equal(number(f, 0, DEVICES_MAX, numbers), 0);
    service_queue(&f->service, 3, 0, id);
    service_submit_unbound(&f->service,
                           &(struct unbound_plain){.owner = "a", .devices = {{1u << 5 | 1u << 6}}});
    assert_non_null(queue_worker_next(queue, 5, NULL));
    queue_worker_hand_back(queue, 5, true, "its executor is gone");
    assert_int_equal(queue_admin_hold(queue, 7, true, "", NULL, on_held, NULL, &error), 0);
    store_flush(f->service.store);
    assert_int_equal(number(f, DEVICES_MAX, DEVICES_MAX, numbers), 3);
    for (int i = 0; i < DEVICES_MAX; i++)
        assert_false(numbers[i] == 3 || numbers[i] == 5 || numbers[i] == 7);
    assert_int_equal(devices_named(f->devices, "device5"), 5);
    assert_int_equal(devices_named(f->devices, "device6"), -1);
}

static void the_number_of_the_device_that_was_used_least_recently_is_given_again_first(void **state)
{
    struct fixture *f = *state;
    int numbers[DEVICES_MAX];
    assert_int_equal(number(f, 0, DEVICES_MAX, numbers), 0);
    for (int i = 0; i < DEVICES_MAX; i++)
        if (i != 7)
            device_identity_touch(&f->identity, i);
    store_flush(f->service.store);
    assert_int_equal(number(f, DEVICES_MAX, 1, numbers), 0);
    assert_int_equal(numbers[0], 7);
}

/* Changes the database of a closed store. */
static void database_change(struct fixture *f, const char *sql)
{
    char path[SCRATCH_BYTES + 32];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/coalesced.db", f->service.directory);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void a_lost_run_without_a_device_keeps_no_number(void **state)
{
    struct fixture *f = *state;
    int numbers[DEVICES_MAX];
    char id[ID_BYTES];
    assert_int_equal(number(f, 0, DEVICES_MAX, numbers), 0);
    service_queue(&f->service, 3, 0, id);
    end(f);
    database_change(f, "UPDATE experiments SET lost = '[{\"attempt\":1}]'");
    begin(f);
    assert_int_equal(number(f, DEVICES_MAX, DEVICES_MAX, numbers), 1);
}

static int scanned; /* steps of full scans, of statements that look for numbers */

static int statement_ended(unsigned reason, void *context, void *statement, void *nanoseconds)
{
    (void)reason, (void)context, (void)nanoseconds;
    if (strncmp(sqlite3_sql(statement), "SELECT number FROM devices", 26) == 0)
        scanned += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    return 0;
}

static int connection_trace(sqlite3 *db, const char **message, const void *api)
{
    (void)message, (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, statement_ended, NULL);
}

static void looking_for_a_number_does_not_scan_the_experiments(void **state)
{
    enum { EXPERIMENTS = 3000 };
    struct fixture *f = *state;
    int numbers[DEVICES_MAX];
    char id[ID_BYTES];
    assert_int_equal(number(f, 0, DEVICES_MAX, numbers), 0);
    service_queue(&f->service, 3, 0, id);
    assert_int_equal(service_cancel(&f->service, id, NULL), 0);
    end(f);
    database_change(f, "DROP TRIGGER experiments_end_once;"
                       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
                       " INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms,"
                       " finished_ms, kernel, request) SELECT id || i, state, device, priority, timeout_s,"
                       " submitted_ms, finished_ms, kernel, request FROM experiments, n");
    assert_int_equal(sqlite3_auto_extension((void (*)(void))connection_trace), SQLITE_OK);
    begin(f);
    scanned = 0;
    assert_int_equal(number(f, DEVICES_MAX, DEVICES_MAX, numbers), 1);
    sqlite3_reset_auto_extension();
    assert_in_range(scanned, 1, EXPERIMENTS / 2); /* the devices */
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ONE(ten_thousand_names_have_no_more_rows_than_there_are_numbers),
        ONE(a_number_is_not_given_again_while_anything_stored_refers_to_it),
        ONE(the_number_of_the_device_that_was_used_least_recently_is_given_again_first),
        ONE(a_lost_run_without_a_device_keeps_no_number),
        ONE(looking_for_a_number_does_not_scan_the_experiments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

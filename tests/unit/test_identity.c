/* Names of devices that come one after the other, more than there are numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "server/devices/pool/identity.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"

enum { NAMES = 10000, LIST = 100 };

struct fixture {
    struct service service;
    struct devices *devices;
    struct identity *identity;
    struct roster *roster;
};

static void begin(struct fixture *f)
{
    struct error error = {0};
    service_start(&f->service);
    f->devices = devices_new(DEVICES_MAX);
    if (identity_new(&f->identity, f->service.store, f->devices, &error) < 0)
        fail_msg("%s", error.text);
}

static void end(struct fixture *f)
{
    identity_free(f->identity);
    devices_free(f->devices);
    service_stop(&f->service);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->roster = calloc(1, sizeof *f->roster);
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
    struct error error = {0}, left_out;
    struct device_set none = {{0}};
    int out = 0;
    f->roster->count = count;
    for (int i = 0; i < count; i++)
        snprintf(f->roster->entries[i].listing.name, DEVICE_NAME_BYTES, "device%d", from + i);
    if (identity_number(f->identity, f->roster, &none, numbers, &left_out, &error) < 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < count; i++) {
        out += numbers[i] < 0;
        if (numbers[i] >= 0)
            devices_list(f->devices, numbers[i], &f->roster->entries[i].listing);
    }
    assert_int_equal(left_out.kind, out ? ERROR_INVALID : ERROR_NONE);
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
        assert_int_equal(devices_named(f->devices, f->roster->entries[i].listing.name), numbers[i]);
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
    service_submit_wide(&f->service, &(struct wide){.owner = "a", .devices = {{1u << 5 | 1u << 6}}});
    assert_non_null(queue_turn(queue, 5, NULL));
    queue_hand_back_lost(queue, 5, "its executor is gone");
    assert_int_equal(queue_hold(queue, 7, true, "", NULL, on_held, NULL, &error), 0);
    store_flush(f->service.store);
    assert_int_equal(number(f, DEVICES_MAX, DEVICES_MAX, numbers), 3);
    for (int i = 0; i < DEVICES_MAX; i++)
        assert_false(numbers[i] == 3 || numbers[i] == 5 || numbers[i] == 7);
    assert_int_equal(devices_named(f->devices, "device5"), 5);
    assert_int_equal(devices_named(f->devices, "device6"), -1);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ONE(ten_thousand_names_have_no_more_rows_than_there_are_numbers),
        ONE(a_number_is_not_given_again_while_anything_stored_refers_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The pool over a real store and queue, with executors that are fakes. */
#include <libgen.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "api/json_parts.h"
#include "base/clock.h"
#include "server/devices/device_pool.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"

enum { WITHIN_S = 20 };

/* The number of the list's first device. */
static int first_of(struct devices *devices)
{
    struct device_snapshot *snapshot = device_snapshot_new(devices);
    int first = snapshot->first;
    free(snapshot);
    return first;
}

static char fake[4096];
static const char *options = ""; /* of the fakes */

struct fixture {
    struct service service;
    struct devices *devices;
    struct device_pool *pool;
    struct roster_config config;
    char file[SCRATCH_BYTES + 16];
};

/* A list of names, each with the command and what else is said of it: "a b:\"hold_s\":1". */
static void list_write(struct fixture *f, const char *names)
{
    char copy[256], *rest = copy, beside[sizeof f->file + 8];
    snprintf(copy, sizeof copy, "%s", names);
    snprintf(beside, sizeof beside, "%s.new", f->file);
    FILE *file = fopen(beside, "we");
    assert_non_null(file);
    fputs("{\"devices\": [", file);
    for (char *name; (name = strsep(&rest, " "));) {
        char *more = strchr(name, '/');
        if (more)
            *more++ = '\0';
        fprintf(file, "%s{\"name\": \"%s\", \"command\": \"'%s' --executor%s\"%s%s}", name == copy ? "" : ",",
                name, fake, options, more ? "," : "", more ? more : "");
    }
    fputs("]}", file);
    fclose(file);
    assert_int_equal(rename(beside, f->file), 0);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    service_init(&f->service, NULL);
    f->service.config.devices = DEVICES_MAX;
    snprintf(f->file, sizeof f->file, "%s.json", f->service.directory);
    f->config = (struct roster_config){.lost_s = 20,
                                       .devices = "",
                                       .device_lines = "",
                                       .file = f->file,
                                       .executor_command = "x",
                                       .idle_s = -1,
                                       .hello_s = -1,
                                       .grace_s = 5};
    *state = f;
    return 0;
}

static void end(struct fixture *f)
{
    if (!f->service.queue)
        return;
    queue_stop(f->service.queue);
    device_pool_stop(f->pool);
    service_stop(&f->service);
    device_pool_free(f->pool);
    devices_free(f->devices);
    f->pool = NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    end(f);
    service_end(&f->service);
    remove(f->file);
    free(f);
    return 0;
}

/* All but the workers. */
static void open_with(struct fixture *f, const char *names)
{
    struct error error = {0};
    list_write(f, names);
    service_start(&f->service);
    f->devices = devices_new(DEVICES_MAX);
    if (device_pool_new(&f->pool, &f->config, &error) < 0 ||
        device_pool_open(f->pool, f->service.store, f->devices, &error) < 0)
        fail_msg("%s", error.text);
}

static void begin(struct fixture *f, const char *names)
{
    struct error error = {0};
    open_with(f, names);
    if (device_pool_start(f->pool, &(struct worker_callbacks){0}, f->service.queue, &error) < 0)
        fail_msg("%s", error.text);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* "a=0 b=1": those that are in the list, by their numbers. */
static const char *present(struct fixture *f)
{
    static char text[256];
    struct device_set set = devices_listed(f->devices);
    struct device_listing listing;
    text[0] = '\0';
    for (int i = -1; (i = device_set_next(&set, i + 1)) >= 0;) {
        assert_true(devices_listing(f->devices, i, &listing));
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s=%d", length ? " " : "", listing.name, i);
    }
    return text;
}

static void becomes(struct fixture *f, const char *names, const char *wanted)
{
    list_write(f, names);
    device_pool_reload(f->pool);
    for (int64_t until = clock_monotonic_ns() + WITHIN_S * INT64_C(1000000000);
         strcmp(present(f), wanted) != 0; pause_ms(5))
        if (clock_monotonic_ns() > until)
            fail_msg("%s instead of %s", present(f), wanted);
}

static void runs_on(struct fixture *f, int device)
{
    struct plain plain = service_request(device, 0);
    plain.request = "{\"kernel\":\"copy\",\"labels\":{\"fake\":\"nothing\"}}";
    struct submitted submitted = service_submit(&f->service, &plain);
    assert_int_equal(submitted.outcome, SUBMITTED_NEW);
    int64_t until = clock_monotonic_ns() + WITHIN_S * INT64_C(1000000000);
    while (service_state(&f->service, submitted.id) != JOB_SUCCEEDED) {
        assert_true(clock_monotonic_ns() < until);
        pause_ms(5);
    }
}

static void a_name_keeps_its_number_and_a_new_one_gets_the_lowest_that_is_free(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *names, *present;
        int first;
    } cases[] = {
        {"a b", "a=0 b=1", 0},
        {"c b", "b=1 c=2", 2},
        {"d a e", "a=0 d=3 e=4", 3},
        {"b a c", "a=0 b=1 c=2", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_with(f, cases[i].names);
        assert_string_equal(present(f), cases[i].present);
        assert_int_equal(first_of(f->devices), cases[i].first);
        end(f);
    }
    open_with(f, "a");
    assert_int_equal(devices_named(f->devices, "e"), 4);
    assert_int_equal(devices_named(f->devices, "f"), -1);
    assert_int_equal(devices_count(f->devices), 5);
}

static void the_number_of_a_device_that_nothing_refers_to_is_given_again(void **state)
{
    struct fixture *f = *state;
    open_with(f, "a/\"count\":128");
    end(f);
    open_with(f, "b");
    assert_string_equal(present(f), "b=0");
    assert_int_equal(devices_named(f->devices, "a"), -1);
    assert_int_equal(devices_named(f->devices, "a-2"), 1);
}

static void cancel_and_remove(struct fixture *f, const char *id)
{
    struct error error = {0};
    assert_int_equal(service_cancel(&f->service, id, &error), 0);
    service_remove(&f->service, false, id, true);
}

/* Reloads the list, and waits until the log says so. */
static void reload_is_told(struct fixture *f)
{
    FILE *log = tmpfile();
    int kept = dup(STDERR_FILENO);
    char text[4096] = "";
    assert_non_null(log);
    dup2(fileno(log), STDERR_FILENO);
    device_pool_reload(f->pool);
    for (int tries = 0; !strstr(text, "the list of devices was read") && tries < 4000; tries++) {
        pause_ms(5);
        ssize_t size = pread(fileno(log), text, sizeof text - 1, 0);
        text[size < 0 ? 0 : size] = '\0';
    }
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(log);
    assert_non_null(strstr(text, "the list of devices was read"));
}

/* Each of 128 devices has an experiment: a further one is left out until one of those is removed. */
static void the_number_of_a_stored_experiment_stays_with_its_device(void **state)
{
    struct fixture *f = *state;
    struct error why = {0};
    char ids[DEVICES_MAX][ID_BYTES];
    f->service.config.limit = 2 * DEVICES_MAX;
    open_with(f, "a/\"count\":128");
    for (int i = 0; i < DEVICES_MAX; i++)
        service_queue(&f->service, i, 0, ids[i]);
    end(f);
    begin(f, "b c a-8");
    assert_string_equal(present(f), "a-8=7");
    assert_int_equal(first_of(f->devices), 7);
    assert_true(device_pool_wrong(f->pool, &why));
    assert_non_null(strstr(why.text, "no number is left for device b"));
    reload_is_told(f);
    cancel_and_remove(f, ids[5]);
    becomes(f, "b c a-8", "b=5 a-8=7");
    assert_true(device_pool_wrong(f->pool, &why));
    assert_non_null(strstr(why.text, "no number is left for device c"));
    becomes(f, "b a-8", "b=5 a-8=7");
    while (device_pool_wrong(f->pool, &why))
        pause_ms(5);
}

static void devices_come_go_and_change_while_it_runs(void **state)
{
    struct fixture *f = *state;
    begin(f, "a b");
    runs_on(f, 0);
    runs_on(f, 1);
    becomes(f, "b c", "b=1 c=2");
    runs_on(f, 1);
    runs_on(f, 2);
    becomes(f, "a b/\"hold_s\":3", "a=0 b=1");
    runs_on(f, 0);
    runs_on(f, 1);
    struct device_listing listing;
    assert_true(devices_listing(f->devices, 1, &listing) && listing.hold_s == 3);
}

static void what_waits_for_a_device_that_left_waits_until_it_comes_back(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    begin(f, "a b");
    runs_on(f, 1);
    becomes(f, "a", "a=0");
    pause_ms(300); /* the queue is told after the list */
    service_queue(&f->service, 1, 0, id);
    runs_on(f, 0);
    assert_int_equal(service_state(&f->service, id), JOB_QUEUED);
    becomes(f, "b a", "a=0 b=1");
    runs_on(f, 1);
    assert_int_not_equal(service_state(&f->service, id), JOB_QUEUED);
}

static void a_wrong_list_changes_nothing_until_it_is_right(void **state)
{
    struct fixture *f = *state;
    struct error why = {0};
    begin(f, "a");
    list_write(f, "a a");
    device_pool_reload(f->pool);
    for (int tries = 0; !device_pool_wrong(f->pool, &why) && tries < 4000; tries++)
        pause_ms(5);
    assert_non_null(strstr(why.text, "a stands twice"));
    assert_string_equal(present(f), "a=0");
    runs_on(f, 0);
    becomes(f, "a b", "a=0 b=1");
    for (int tries = 0; device_pool_wrong(f->pool, &why) && tries < 4000; tries++)
        pause_ms(5);
    assert_false(device_pool_wrong(f->pool, &why));
}

struct used {
    const char *name;
    int64_t at_ms;
};

static void used_row(void *arg, const struct store_device *device)
{
    struct used *used = arg;
    if (strcmp(device->name, used->name) == 0)
        used->at_ms = device->hello_ms;
}

static int64_t used_ms(struct fixture *f, const char *name)
{
    struct error error = {0};
    struct used used = {name, -1};
    assert_int_equal(store_devices(f->service.store, used_row, &used, &error), 0);
    return used.at_ms;
}

/* Also when it says nothing new. */
static void a_device_was_used_when_its_worker_began_and_ended(void **state)
{
    struct fixture *f = *state;
    begin(f, "a b");
    runs_on(f, 0);
    runs_on(f, 1);
    end(f);
    open_with(f, "a");
    int64_t before_ms = used_ms(f, "a"), other_ms = used_ms(f, "b");
    assert_true(before_ms > 0 && other_ms > 0);
    end(f);
    pause_ms(2); /* the clock goes on */
    begin(f, "a");
    runs_on(f, 0);
    end(f);
    open_with(f, "a");
    assert_true(used_ms(f, "a") > before_ms);
    assert_true(used_ms(f, "b") == other_ms);
}

static void what_was_said_of_a_device_is_known_at_the_next_start(void **state)
{
    struct fixture *f = *state;
    struct device_status before = {0}, after = {0}, other = {0};
    begin(f, "a b");
    runs_on(f, 1);
    devices_get(f->devices, 1, &before);
    assert_true(before.known);
    end(f);
    open_with(f, "c b");
    assert_true(devices_get(f->devices, 1, &after) && after.known);
    assert_memory_equal(&after.facts, &before.facts, sizeof after.facts);
    assert_string_equal(after.executor_build, before.executor_build);
    assert_true(devices_get(f->devices, 2, &other) && !other.known);
}

static void only_executors_with_a_lease_may_outlive_the_service(void **state)
{
    struct fixture *f = *state;
    struct device_set outliving = {{0}};
    options = " --leased";
    begin(f, "a b c/\"heartbeat_s\":0");
    runs_on(f, 0);
    runs_on(f, 2);
    end(f);
    open_with(f, "a b c/\"heartbeat_s\":0");
    double outlive_s = device_pool_outliving(f->pool, &outliving);
    assert_true(device_set_has(&outliving, 0));
    assert_false(device_set_has(&outliving, 2));
    assert_true(outlive_s > 20);
    options = "";
}

int main(int argc, char **argv)
{
    (void)argc;
    char copy[4000];
    snprintf(copy, sizeof copy, "%s", argv[0]);
    snprintf(fake, sizeof fake, "%s/fake_executor", dirname(copy));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_keeps_its_number_and_a_new_one_gets_the_lowest_that_is_free,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_a_device_that_nothing_refers_to_is_given_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_a_stored_experiment_stays_with_its_device, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(devices_come_go_and_change_while_it_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_waits_for_a_device_that_left_waits_until_it_comes_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_list_changes_nothing_until_it_is_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_was_used_when_its_worker_began_and_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_said_of_a_device_is_known_at_the_next_start, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(only_executors_with_a_lease_may_outlive_the_service, set_up,
                                        tear_down),
    };
    json_parts_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Answers to those who ask for a calibration while one is being made, or while its state cannot be read. */
#include <semaphore.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/json_parts.h"
#include "server/calibration/attempt.h"
#include "server/calibration/calibrations.h"
#include "tests/faults/h200_facts.h"
#include "tests/unit/support/service.h"

/* One attempt, which the test looks at instead of the thread. */
struct fixture {
    struct service service;
    struct attempts attempts;
    struct attempt attempt;
    sem_t writer; /* the store's, while it is held up */
};

struct asker {
    struct calibration_waiter waiter; /* first: a waiter is cast to it */
    int answered;
    struct error failed;
};

static void on_answer(struct calibration_waiter *waiter, const struct error *failed)
{
    struct asker *asker = (struct asker *)waiter;
    asker->answered++;
    if (failed)
        asker->failed = *failed;
}

static void ask(struct fixture *f, struct asker *asker)
{
    *asker = (struct asker){.waiter = {.done = on_answer}};
    pthread_mutex_lock(&f->attempts.lock);
    SLIST_INSERT_HEAD(&f->attempt.waiters, &asker->waiter, entries);
    pthread_mutex_unlock(&f->attempts.lock);
}

static void device_become(struct fixture *f, const char *name, const char *backend, bool known)
{
    struct device_listing listing = {0};
    struct device_status status = {.known = known,
                                   .healthy = true,
                                   .readiness = DEVICE_READY,
                                   .executor_build = "1a2b3c",
                                   .facts = {H200_FACTS, .uuid = "GPU-1", .driver = "1"}};
    snprintf(listing.name, sizeof listing.name, "%s", name);
    snprintf(status.facts.backend, sizeof status.facts.backend, "%s", backend);
    devices_set_listing(f->attempts.devices, 0, &listing);
    devices_set(f->attempts.devices, 0, &status);
    struct device_set present = {{1}};
    devices_set_listed(f->attempts.devices, &present, 0);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error = {0};
    service_init(&f->service, NULL);
    f->service.config.limit = 1000;
    service_start(&f->service);
    f->attempts.store = f->service.store;
    f->attempts.queue = f->service.queue;
    f->attempts.devices = devices_new(DEVICES_MAX);
    f->attempts.automatic = true;
    pthread_mutex_init(&f->attempts.lock, NULL);
    pthread_cond_init(&f->attempts.change, NULL);
    assert_int_equal(stored_calibrations_open(&f->attempts.stored, f->service.store, &error), 0);
    f->attempt.attempts = &f->attempts;
    sem_init(&f->writer, 0, 0);
    device_become(f, "gpu0", "cuda", true);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    service_end(&f->service);
    calibration_plan_free(&f->attempt.plan);
    stored_calibrations_close(&f->attempts.stored);
    devices_free(f->attempts.devices);
    free(f);
    return 0;
}

/* Submits one that nobody asked for, or finds the one that was. */
static void submit_unasked(struct fixture *f)
{
    f->attempt.failed_for[0] = '\0'; /* as after a restart */
    f->attempt.idle_since_ns = 1;
    assert_true(attempt_look(&f->attempt));
}

static void on_cancelled(void *arg, const struct error *failed)
{
    (void)arg;
    assert_null(failed);
}

/* It fails, because none of its experiments was run. */
static void sweep_cancel(struct fixture *f)
{
    struct error error = {0};
    if (queue_cancel_sweep(f->service.queue, f->attempt.sweep, "", on_cancelled, NULL, &error) < 0)
        fail_msg("%s", error.text);
    store_flush(f->service.store);
    attempt_look(&f->attempt);
    assert_int_equal(f->attempt.stage, ATTEMPT_NONE);
}

static void on_held(void *arg, const struct error *failed)
{
    assert_null(failed);
    while (sem_wait(arg) < 0)
        ;
}

static void who_asks_while_an_ended_sweep_is_found_again_gets_a_new_one(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    struct asker asker;
    char first[ID_BYTES];
    submit_unasked(f);
    store_flush(f->service.store);
    memcpy(first, f->attempt.sweep, sizeof first);
    sweep_cancel(f);

    assert_int_equal(queue_admin_hold(f->service.queue, 1, true, "", NULL, on_held, &f->writer, &error), 0);
    submit_unasked(f);
    assert_int_equal(f->attempt.stage, ATTEMPT_SUBMITTING);
    ask(f, &asker);
    sem_post(&f->writer);
    store_flush(f->service.store);
    assert_string_equal(f->attempt.sweep, first);
    assert_int_equal(asker.answered, 0);
    attempt_look(&f->attempt); /* it has ended */
    assert_int_equal(asker.answered, 0);
    attempt_look(&f->attempt);
    store_flush(f->service.store);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(asker.failed.kind, ERROR_NONE);
    assert_string_not_equal(f->attempt.sweep, first);
}

static void who_asks_while_one_is_being_made_is_told_so(void **state)
{
    struct fixture *f = *state;
    struct asker asker;
    char first[ID_BYTES];
    submit_unasked(f);
    store_flush(f->service.store);
    memcpy(first, f->attempt.sweep, sizeof first);
    ask(f, &asker);
    attempt_look(&f->attempt);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(asker.failed.kind, ERROR_NONE);
    assert_string_equal(f->attempt.sweep, first);
}

static void who_asks_is_told_that_the_store_cannot_be_read(void **state)
{
    struct fixture *f = *state;
    struct asker asker;
    char path[SCRATCH_BYTES + 32];
    sqlite3 *db = NULL;
    submit_unasked(f);
    store_flush(f->service.store);
    snprintf(path, sizeof path, "%s/coalesced.db", f->service.directory);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "ALTER TABLE points RENAME TO away", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "ALTER TABLE sweeps RENAME TO gone", NULL, NULL, NULL), SQLITE_OK);
    ask(f, &asker);
    attempt_look(&f->attempt);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(asker.failed.kind, ERROR_STORE);
    assert_int_equal(f->attempt.stage, ATTEMPT_SUBMITTED); /* it may be readable later */
    sqlite3_exec(db, "ALTER TABLE gone RENAME TO sweeps; ALTER TABLE away RENAME TO points", NULL, NULL,
                 NULL);
    sqlite3_close(db);
}

static void who_asks_is_told_that_the_device_can_have_none(void **state)
{
    struct fixture *f = *state;
    struct asker asker;
    ask(f, &asker);
    device_become(f, "gpu0", "cuda", false);
    attempt_look(&f->attempt);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(asker.failed.kind, ERROR_UNAVAILABLE);
    ask(f, &asker);
    device_become(f, "gpu0", "cpu", true);
    attempt_look(&f->attempt);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(asker.failed.kind, ERROR_CONFLICT);
}

static void what_failed_on_a_numbers_earlier_device_is_not_its_next_ones(void **state)
{
    struct fixture *f = *state;
    submit_unasked(f);
    store_flush(f->service.store);
    sweep_cancel(f);
    assert_string_not_equal(f->attempt.failure, "");
    f->attempts.automatic = false;
    service_remove(&f->service, true, f->attempt.sweep, false);
    devices_forget(f->attempts.devices, 0);
    device_become(f, "gpu0-next", "cuda", true);
    attempt_look(&f->attempt);
    assert_string_equal(f->attempt.failed_for, "");
    assert_string_equal(f->attempt.failure, "");
}

static void after_the_stop_nobody_waits(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    struct asker asker = {.waiter = {.done = on_answer}}, late = asker;
    struct calibrations *calibrations;
    assert_int_equal(calibrations_start(&calibrations, f->service.store, f->service.queue,
                                        f->attempts.devices, false, &error),
                     0);
    assert_int_equal(calibrations_ask(calibrations, 0, &asker.waiter, &error), 0);
    calibrations_stop(calibrations);
    assert_int_equal(calibrations_ask(calibrations, 0, &late.waiter, &error), -1);
    assert_int_equal(error.kind, ERROR_UNAVAILABLE);
    assert_string_equal(error.text, "the service is stopping");
    store_flush(f->service.store);
    assert_int_equal(asker.answered, 1);
    assert_int_equal(late.answered, 0);
    service_stop(&f->service);
    calibrations_free(calibrations);
    service_start(&f->service);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ONE(who_asks_while_an_ended_sweep_is_found_again_gets_a_new_one),
        ONE(who_asks_while_one_is_being_made_is_told_so),
        ONE(who_asks_is_told_that_the_store_cannot_be_read),
        ONE(who_asks_is_told_that_the_device_can_have_none),
        ONE(what_failed_on_a_numbers_earlier_device_is_not_its_next_ones),
        ONE(after_the_stop_nobody_waits),
    };
    json_parts_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

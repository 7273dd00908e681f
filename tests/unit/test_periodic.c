/* The thread that runs periodic jobs: when they run, and that none runs after its removal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <pthread.h>
#include <cmocka.h>

#include "base/clock.h"
#include "server/periodic.h"

enum { PATIENCE_S = 20 };

struct counted {
    struct periodic_job job;
    int64_t again_ns; /* the pause before the next run; INT64_MAX: none */
    atomic_int runs;
    atomic_bool hold; /* the job runs until this is false */
    char thread[16];
};

static int64_t count(void *arg, int64_t now_ns)
{
    struct counted *counted = arg;
    pthread_getname_np(pthread_self(), counted->thread, sizeof counted->thread);
    atomic_fetch_add(&counted->runs, 1);
    while (atomic_load(&counted->hold))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return counted->again_ns == INT64_MAX ? INT64_MAX : now_ns + counted->again_ns;
}

static void add(struct counted *counted, int64_t again_ns)
{
    struct error error = {0};
    counted->again_ns = again_ns;
    counted->job.run = count;
    counted->job.arg = counted;
    assert_int_equal(periodic_add(&counted->job, &error), 0);
}

static void await_runs(struct counted *counted, int runs)
{
    int64_t until_ns = clock_monotonic_ns() + PATIENCE_S * 1000000000LL;
    while (atomic_load(&counted->runs) < runs && clock_monotonic_ns() < until_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true(atomic_load(&counted->runs) >= runs);
}

static void a_job_runs_at_once_and_again_when_it_is_due(void **state)
{
    (void)state;
    struct counted often = {0}, once = {0};
    add(&once, INT64_MAX);
    add(&often, 1000000);
    await_runs(&often, 10);
    await_runs(&once, 1);
    periodic_remove(&often.job);
    periodic_remove(&once.job);
    assert_int_equal(atomic_load(&once.runs), 1);
    assert_string_equal(often.thread, "periodic");
}

static void a_job_that_is_woken_runs_before_it_is_due(void **state)
{
    (void)state;
    struct counted counted = {0};
    add(&counted, INT64_MAX);
    for (int runs = 1; runs < 20; runs++) {
        await_runs(&counted, runs);
        periodic_wake(&counted.job, 0);
    }
    await_runs(&counted, 20);
    periodic_remove(&counted.job);
}

static void a_job_that_is_woken_while_it_runs_runs_again(void **state)
{
    (void)state;
    struct counted counted = {.hold = true};
    add(&counted, INT64_MAX);
    await_runs(&counted, 1);
    periodic_wake(&counted.job, 0);
    atomic_store(&counted.hold, false);
    await_runs(&counted, 2);
    periodic_remove(&counted.job);
}

static void *release_later(void *arg)
{
    struct counted *counted = arg;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    atomic_store(&counted->hold, false);
    return NULL;
}

static void a_removal_waits_for_the_job(void **state)
{
    (void)state;
    struct counted counted = {.hold = true}, other = {0};
    pthread_t thread;
    add(&other, INT64_MAX);
    add(&counted, 0);
    await_runs(&counted, 1);
    assert_int_equal(pthread_create(&thread, NULL, release_later, &counted), 0);
    periodic_remove(&counted.job);
    assert_false(atomic_load(&counted.hold));
    int runs = atomic_load(&counted.runs), others = atomic_load(&other.runs);
    periodic_wake(&counted.job, 0);
    periodic_wake(&other.job, 0);
    await_runs(&other, others + 1);
    assert_int_equal(atomic_load(&counted.runs), runs);
    periodic_remove(&other.job);
    pthread_join(thread, NULL);
}

static void a_job_that_was_not_added_may_be_removed(void **state)
{
    (void)state;
    struct counted counted = {0};
    periodic_remove(&counted.job);
    counted.job.run = count;
    periodic_remove(&counted.job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_runs_at_once_and_again_when_it_is_due),
        cmocka_unit_test(a_job_that_is_woken_runs_before_it_is_due),
        cmocka_unit_test(a_job_that_is_woken_while_it_runs_runs_again),
        cmocka_unit_test(a_removal_waits_for_the_job),
        cmocka_unit_test(a_job_that_was_not_added_may_be_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

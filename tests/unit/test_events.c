#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>

#include "server/events/long_poll.h"

static const char first_id[] = "01ARZ3NDEKTSV4RRFFQ69G5FA1", second_id[] = "01ARZ3NDEKTSV4RRFFQ69G5FA2";

struct heard {
    int times;
    enum job_state last;
};

static void hear(void *arg, enum job_state state)
{
    struct heard *heard = arg;
    heard->times++;
    heard->last = state;
}

static void a_waiter_hears_each_change_of_its_experiment_and_no_other(void **state)
{
    (void)state;
    struct long_poll *events = long_poll_new();
    struct heard first = {0}, again = {0}, second = {0};
    long_poll_wait(events, first_id, hear, &first);
    long_poll_wait(events, first_id, hear, &again);
    long_poll_wait(events, second_id, hear, &second);
    long_poll_publish(events, first_id, JOB_RUNNING);
    long_poll_publish(events, first_id, JOB_SUCCEEDED);
    assert_int_equal(first.times, 2);
    assert_int_equal(first.last, JOB_SUCCEEDED);
    assert_int_equal(again.times, 2);
    assert_int_equal(second.times, 0);
    long_poll_free(events);
}

static void a_cancelled_waiter_hears_nothing_and_the_others_go_on(void **state)
{
    (void)state;
    struct long_poll *events = long_poll_new();
    struct heard heard[3] = {0};
    struct long_poll_waiter *waiters[3];
    for (int gone = 0; gone < 3; gone++) {
        for (int i = 0; i < 3; i++) {
            heard[i].times = 0;
            waiters[i] = long_poll_wait(events, first_id, hear, &heard[i]);
        }
        long_poll_cancel(events, waiters[gone]);
        long_poll_publish(events, first_id, JOB_FAILED);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(heard[i].times, i != gone);
            long_poll_cancel(events, i == gone ? NULL : waiters[i]);
        }
    }
    long_poll_free(events);
}

struct slow {
    atomic_bool begun, ended;
};

static void wake_slowly(void *arg, enum job_state state)
{
    struct slow *slow = arg;
    (void)state;
    atomic_store(&slow->begun, true);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&slow->ended, true);
}

static void *publish(void *arg)
{
    long_poll_publish(arg, first_id, JOB_SUCCEEDED);
    return NULL;
}

static void a_cancellation_waits_for_the_wake_that_is_under_way(void **state)
{
    (void)state;
    struct long_poll *events = long_poll_new();
    struct slow slow = {0};
    struct long_poll_waiter *waiter = long_poll_wait(events, first_id, wake_slowly, &slow);
    pthread_t thread;
    pthread_create(&thread, NULL, publish, events);
    while (!atomic_load(&slow.begun))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    long_poll_cancel(events, waiter);
    assert_true(atomic_load(&slow.ended));
    pthread_join(thread, NULL);
    long_poll_free(events);
}

static atomic_bool enough;

static void *publish_on(void *arg)
{
    while (!atomic_load(&enough))
        long_poll_publish(arg, first_id, JOB_RUNNING);
    return NULL;
}

/* What a waiter's owner frees after the cancellation is on its stack here: a late wake is seen by a sanitizer
   or as a wrong count. */
static void *wait_on(void *arg)
{
    for (int i = 0; i < 2000; i++) {
        struct heard heard = {0};
        struct long_poll_waiter *waiter = long_poll_wait(arg, i % 2 ? first_id : second_id, hear, &heard);
        long_poll_cancel(arg, waiter);
        int times = heard.times;
        if (times && i % 2 == 0)
            return arg;
    }
    return NULL;
}

static void waiters_come_and_go_while_others_publish(void **state)
{
    (void)state;
    struct long_poll *events = long_poll_new();
    pthread_t publisher, waiters[3];
    pthread_create(&publisher, NULL, publish_on, events);
    for (int i = 0; i < 3; i++)
        pthread_create(&waiters[i], NULL, wait_on, events);
    for (int i = 0; i < 3; i++) {
        void *wrong = NULL;
        pthread_join(waiters[i], &wrong);
        assert_null(wrong);
    }
    atomic_store(&enough, true);
    pthread_join(publisher, NULL);
    long_poll_free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiter_hears_each_change_of_its_experiment_and_no_other),
        cmocka_unit_test(a_cancelled_waiter_hears_nothing_and_the_others_go_on),
        cmocka_unit_test(a_cancellation_waits_for_the_wake_that_is_under_way),
        cmocka_unit_test(waiters_come_and_go_while_others_publish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Devices that come and leave, and how ready they are: which begin an experiment, and which are started. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "tests/unit/support/service.h"

enum { DEVICES = 6 };

static struct device_set set_of(unsigned bits)
{
    return (struct device_set){{bits}};
}

static struct device_set known; /* what select() answers */
static bool open;

static void select_known(void *arg, struct queue_selection *selections, int count)
{
    (void)arg;
    for (int i = 0; i < count; i++) {
        selections[i].devices = known;
        selections[i].open = open;
    }
}

static int setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service->config.devices = DEVICES;
    service->config.select = select_known;
    known = set_of(63);
    open = true;
    service_start(service);
    *state = service;
    return 0;
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};

static void submit(struct service *service, unsigned devices, int count, bool spread)
{
    service_submit_unbound(
        service,
        &(struct unbound_plain){.owner = "a", .devices = set_of(devices), .count = count, .spread = spread});
}

/* Of each device: Out, Away, Starting, Cold or Warm. */
static void ready(struct service *service, const char *letters)
{
    static const char all[] = "OASCW";
    for (int i = 0; i < DEVICES; i++)
        queue_worker_readiness(service->queue, i, (enum queue_readiness)(strchr(all, letters[i]) - all));
}

/* The devices that find something at once, asked one after the other; nothing is taken. */
static unsigned finders(struct service *service)
{
    unsigned found = 0;
    for (int i = 0; i < DEVICES; i++)
        found |= (unsigned)queue_worker_wait(service->queue, i, 0) << i;
    return found;
}

/* ---- readiness ---- */

static void the_readier_begins_and_no_more_are_started_than_there_is_work(void **state)
{
    static const struct {
        const char *readiness; /* the first letter of each device's */
        unsigned devices;
        int singles;
        int sweep, spread; /* points of one more sweep */
        unsigned wanted;
    } cases[] = {
        {"WCAAOO", 63, 1, 0, 0, 1},                /* the warm one */
        {"WWCCAA", 63, 1, 0, 0, 3},                /* either */
        {"WCCAAA", 63, 2, 0, 0, 7},                /* a cold one as well */
        {"OCAAAA", 63, 1, 0, 0, 2},                /* the cold one: nothing is started */
        {"OOAAAA", 63, 1, 0, 0, 4},                /* one is started, the others see that */
        {"OOAAAA", 63, 10, 0, 0, 4 + 8 + 16 + 32}, /* what fits and no more */
        {"OOAAAA", 12, 10, 0, 0, 4 + 8},
        {"SSAAOO", 60, 2, 0, 0, 4 + 8}, /* those that are starting are for others */
        {"AAAAAA", 63, 0, 20, 0, 1},    /* it goes to one */
        {"AAAAAA", 63, 0, 20, 1, 63},   /* it goes to all */
        {"AAAAAA", 63, 1, 20, 0, 3},    /* two work items */
        {"WAAOOO", 63, 1, 20, 0, 1 + 2},
        {"WCAAAA", 2, 1, 0, 0, 2}, /* what is for it alone */
        {"OOOOOO", 63, 9, 0, 0, 0},
    };
    struct service *service = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        service_stop(service);
        scratch_remove(service->directory);
        service_init(service, NULL);
        service->config.devices = DEVICES;
        service_start(service);
        ready(service, cases[i].readiness);
        for (int k = 0; k < cases[i].singles; k++)
            submit(service, cases[i].devices, 0, false);
        if (cases[i].sweep)
            submit(service, cases[i].devices, cases[i].sweep, cases[i].spread);
        unsigned found = finders(service);
        if (found != cases[i].wanted)
            fail_msg("case %zu: %x and not %x", i, found, cases[i].wanted);
    }
}

static void a_start_is_given_up_when_nobody_needs_it(void **state)
{
    struct service *service = *state;
    struct queue *queue = service->queue;
    ready(service, "OOOOAA");
    submit(service, 63, 0, false);
    submit(service, 63, 0, false);
    assert_true(queue_worker_wait(queue, 5, 0));
    assert_true(queue_worker_wait(queue, 4, 0));
    assert_true(queue_worker_needed(queue, 4) && queue_worker_needed(queue, 5));
    queue_worker_readiness(queue, 0, QUEUE_WARM);
    assert_true(queue_worker_needed(queue, 5)); /* it was the first to be started */
    assert_false(queue_worker_needed(queue, 4));
    queue_worker_next(queue, 0, NULL);
    assert_true(queue_worker_needed(queue, 5));
    assert_false(queue_worker_needed(queue, 4)); /* one is left */
    queue_worker_next(queue, 0, &succeeded);
    assert_false(queue_worker_needed(queue, 5));
    queue_worker_hand_back(queue, 0, false, NULL);
    queue_worker_readiness(queue, 0, QUEUE_OUT);
    assert_true(queue_worker_needed(queue, 5));
    struct device_set without = set_of(31);
    queue_admin_list_devices(queue, &without);
    assert_false(queue_worker_needed(queue, 5));
    assert_true(queue_worker_needed(queue, 4));
    queue_stop(queue);
    assert_false(queue_worker_needed(queue, 4));
}

static void a_cold_one_leaves_it_to_a_warm_one_for_a_moment_only(void **state)
{
    struct service *service = *state;
    queue_worker_readiness(service->queue, 0, QUEUE_WARM);
    submit(service, 3, 0, false);
    assert_false(queue_worker_wait(service->queue, 1, 0));
    int64_t begun_ns = clock_monotonic_ns();
    assert_true(queue_worker_wait(service->queue, 1, 60000)); /* nobody comes for device 0 */
    assert_true(clock_monotonic_ns() - begun_ns < 30000000000);
    assert_true(queue_worker_wait(service->queue, 0, 0));
}

/* ---- the workers sleep ---- */

struct sleeper {
    struct service *service;
    int device;
    atomic_int *awake;
    pthread_t thread;
};

static void *sleeper_thread(void *arg)
{
    struct sleeper *sleeper = arg;
    if (queue_worker_wait(sleeper->service->queue, sleeper->device, 60000) &&
        queue_worker_next(sleeper->service->queue, sleeper->device, NULL))
        atomic_fetch_add(sleeper->awake, 1);
    return NULL;
}

static void each_experiment_wakes_somebody(void **state)
{
    struct service *service = *state;
    struct sleeper sleepers[DEVICES];
    atomic_int awake = 0;
    int64_t begun_ns = clock_monotonic_ns();
    for (int i = 0; i < DEVICES; i++) {
        sleepers[i] = (struct sleeper){service, i, &awake, 0};
        pthread_create(&sleepers[i].thread, NULL, sleeper_thread, &sleepers[i]);
    }
    submit(service, 63, DEVICES, true);
    for (int i = 0; i < DEVICES; i++)
        pthread_join(sleepers[i].thread, NULL);
    assert_int_equal(awake, DEVICES);
    assert_true(clock_monotonic_ns() - begun_ns < 30000000000);
}

/* ---- the list ---- */

static void one_that_left_begins_nothing_and_ends_what_it_runs(void **state)
{
    struct service *service = *state;
    struct queue *queue = service->queue;
    struct device_set without = set_of(62), all = set_of(63);
    char alone[ID_BYTES];
    for (int i = 0; i < 2; i++)
        submit(service, 3, 0, false);
    assert_non_null(queue_worker_next(queue, 0, NULL));
    service_queue(service, 0, 0, alone);
    queue_admin_list_devices(queue, &without);
    assert_null(queue_worker_next(queue, 0, &succeeded));
    assert_false(queue_worker_wait(queue, 0, 0));
    assert_non_null(queue_worker_next(queue, 1, NULL)); /* what may go elsewhere does */
    assert_null(queue_worker_next(queue, 1, &succeeded));
    assert_int_equal(service_state(service, alone), JOB_QUEUED);
    queue_admin_list_devices(queue, &all);
    assert_string_equal(queue_worker_next(queue, 0, NULL)->id, alone);
}

static void unbound_experiments_go_to_devices_that_come(void **state)
{
    struct service *service = *state;
    struct device_set some = set_of(3), four = set_of(15);
    char alone[ID_BYTES];
    queue_admin_list_devices(service->queue, &some);
    known = some;
    submit(service, 3, 4, true);
    submit(service, 3, 4, false);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    assert_null(queue_worker_next(service->queue, 3, NULL));
    known = four;
    queue_admin_list_devices(service->queue, &four);
    for (int i = 1; i < 4; i++)
        assert_non_null(queue_worker_next(service->queue, i, NULL));
    queue_worker_hand_back(service->queue, 0, false, NULL); /* and what ran meanwhile */
    assert_non_null(queue_worker_next(service->queue, 3, &succeeded));
    service_queue(service, 2, 0, alone);
    /* After a start, work that is bound to an unlisted device waits for it; other work waits for any device that
       comes. */
    service_stop(service);
    service->config.listed = &some;
    known = set_of(0);
    service_start(service);
    assert_int_equal(service_state(service, alone), JOB_QUEUED);
    struct device_stats stats;
    queue_view_device(service->queue, 0, &stats);
    assert_int_equal(stats.queued, 0);
    known = some;
    queue_worker_readiness(service->queue, 1, QUEUE_STARTING);
    queue_worker_readiness(service->queue, 1, QUEUE_COLD); /* it has said what it is */
    queue_view_device(service->queue, 0, &stats);
    assert_true(stats.queued > 0);
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
}

static void unbound_experiments_go_to_a_device_whose_properties_become_known(void **state)
{
    struct service *service = *state;
    struct device_set one = set_of(1), two = set_of(3), other = set_of(2);
    queue_admin_list_devices(service->queue, &one);
    known = one;
    submit(service, 1, 4, true); /* these name it */
    service_submit_unbound(service, &(struct unbound_plain){.owner = "a", .devices = one, .open = true});
    queue_admin_list_devices(service->queue, &two); /* nobody knows yet what it is */
    queue_worker_readiness(service->queue, 1, QUEUE_STARTING);
    assert_null(queue_worker_next(service->queue, 1, NULL));
    known = two;
    queue_worker_readiness(service->queue, 1, QUEUE_COLD);
    assert_non_null(queue_worker_next(service->queue, 1, NULL));   /* what fitted one alone and names none */
    assert_null(queue_worker_next(service->queue, 1, &succeeded)); /* what names the other stays there */
    /* One that leaves is nothing that anybody waits for. */
    service_submit_unbound(service, &(struct unbound_plain){.owner = "a", .devices = one, .open = true});
    known = other;
    queue_admin_list_devices(service->queue, &other);
    assert_non_null(queue_worker_next(service->queue, 1, NULL));
}

/* It ran when the service died. Where it ran fits alone now; or is gone, and of the others nothing is
   known yet. */
static void what_names_no_device_and_ran_is_unbound_after_a_restart(void **state)
{
    struct service *service = *state;
    struct device_set one = set_of(1), other = set_of(2);
    for (unsigned fits = 0; fits < 2; fits++) {
        struct submitted submitted = service_submit_unbound(
            service, &(struct unbound_plain){.owner = "a", .devices = set_of(3), .open = true});
        assert_non_null(queue_worker_next(service->queue, 0, NULL));
        service_stop(service);
        service->config.listed = fits ? &one : &other;
        known = set_of(fits);
        service_start(service);
        assert_int_equal(service_state(service, submitted.id), JOB_QUEUED);
        known = other;
        queue_admin_list_devices(service->queue, &one);
        queue_admin_list_devices(service->queue, &other);
        assert_string_equal(queue_worker_next(service->queue, 1, NULL)->id, submitted.id);
        assert_null(queue_worker_next(service->queue, 1, &succeeded));
        known = one;
        queue_admin_list_devices(service->queue, &one);
    }
}

static void what_waits_for_a_device_that_left_during_a_restart_waits_on(void **state)
{
    struct service *service = *state;
    struct device_set one = set_of(1), both = set_of(3);
    char waiting[ID_BYTES], ran[ID_BYTES];
    open = false;
    service_queue(service, 1, 1, ran);
    assert_non_null(queue_worker_next(service->queue, 1, NULL));
    service_queue(service, 1, 0, waiting);
    service_stop(service);
    service->config.listed = &one;
    known = one;
    service_start(service);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    assert_int_equal(service_state(service, waiting), JOB_QUEUED);
    assert_int_equal(service_state(service, ran), JOB_QUEUED);
    queue_admin_list_devices(service->queue, &both);
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->id, ran);
    assert_string_equal(queue_worker_next(service->queue, 1, &succeeded)->id, waiting);
}

/* ---- what a service that died left running out of reach ---- */

static void what_may_still_run_elsewhere_begins_nowhere_before_that_is_over(void **state)
{
    static const struct {
        unsigned devices;   /* on which it may run; it runs on the first of them when the service dies */
        unsigned outliving; /* whose executors may run on */
        unsigned known;     /* devices that are there afterwards, and on which it may run */
        unsigned wait;      /* devices that take nothing until then */
    } cases[] = {
        {1, 1, 63, 1},                  /* its own alone */
        {3, 1, 63, 63},                 /* anywhere: so nobody */
        {1, 62, 63, 0},                 /* it ended with the service */
        {3, 62, 63, 0}, {3, 2, 62, 62}, /* where it ran is not in the list any more */
    };
    struct service *service = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_set listed = set_of(cases[i].known), outliving = set_of(cases[i].outliving);
        service_stop(service);
        scratch_remove(service->directory);
        service_init(service, NULL);
        service->config.devices = DEVICES;
        service->config.select = select_known;
        known = set_of(63);
        service_start(service);
        submit(service, cases[i].devices, 0, false);
        assert_non_null(queue_worker_next(service->queue, 0, NULL));
        assert_true(queue_worker_begun(service->queue, 0));
        service_stop(service);
        known = set_of(cases[i].devices & cases[i].known);
        open = cases[i].devices != 1;
        service->config.listed = &listed;
        service->config.outliving = &outliving;
        service->config.outlive_s = 1;
        int64_t over_ns = clock_monotonic_ns() + 1000000000;
        service_start(service);
        for (int device = 0; device < DEVICES; device++) /* something else for each */
            if (cases[i].known >> device & 1)
                submit(service, 1u << device, 0, false);
        unsigned waits = cases[i].known & ~finders(service);
        if (clock_monotonic_ns() < over_ns && waits != (cases[i].wait & cases[i].known))
            fail_msg("case %zu: %x wait", i, waits);
        for (int device = 0; device < DEVICES && cases[i].wait; device++)
            if (waits >> device & 1)
                assert_null(queue_worker_next(service->queue, device, NULL));
        while (clock_monotonic_ns() < over_ns + 1000000000 && finders(service) != cases[i].known)
            queue_worker_wait(service->queue, 0, 50);
        assert_int_equal(finders(service), cases[i].known);
    }
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, setup, service_teardown)
    const struct CMUnitTest tests[] = {
        ONE(the_readier_begins_and_no_more_are_started_than_there_is_work),
        ONE(a_start_is_given_up_when_nobody_needs_it),
        ONE(a_cold_one_leaves_it_to_a_warm_one_for_a_moment_only),
        ONE(each_experiment_wakes_somebody),
        ONE(one_that_left_begins_nothing_and_ends_what_it_runs),
        ONE(unbound_experiments_go_to_devices_that_come),
        ONE(unbound_experiments_go_to_a_device_whose_properties_become_known),
        ONE(what_names_no_device_and_ran_is_unbound_after_a_restart),
        ONE(what_waits_for_a_device_that_left_during_a_restart_waits_on),
        ONE(what_may_still_run_elsewhere_begins_nowhere_before_that_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Selection of devices when workers and the pool report changes at the same moment, and wake-ups that one
   worker leaves to another. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "server/queue/entry.h"
#include "server/store/write.h"
#include "tests/unit/support/service.h"

enum {
    DEVICES = 6,
    ALL = (1 << DEVICES) - 1,
    POINTS = 64,
    TRIES = 20,
    SELECT_NS = 100000,
    LONG_MS = 20000,
    PASSES_MOST = 100
};

static struct device_set set_of(unsigned bits)
{
    return (struct device_set){{bits}};
}

static atomic_uint known; /* the devices whose properties select() knows */
static atomic_bool open;  /* requests name no device */

static void select_slowly(void *arg, struct queue_selection *selections, int count)
{
    (void)arg;
    struct device_set now = set_of(atomic_load(&known));
    for (int i = 0; i < count; i++) {
        selections[i].devices = now;
        selections[i].open = atomic_load(&open);
        nanosleep(&(struct timespec){.tv_nsec = SELECT_NS}, NULL);
    }
}

static int setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service->config.devices = DEVICES;
    service->config.select = select_slowly;
    atomic_store(&open, true);
    service_start(service);
    *state = service;
    return 0;
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};

/* ---- selection ---- */

struct reporter {
    struct queue *queue;
    pthread_barrier_t *start;
    int device; /* -1: the pool */
    pthread_t thread;
};

static void *reporter_thread(void *arg)
{
    const struct reporter *reporter = arg;
    struct device_set all = set_of(ALL), most = set_of(ALL - 1);
    pthread_barrier_wait(reporter->start);
    if (reporter->device < 0) {
        queue_admin_list_devices(reporter->queue, &most);
        queue_admin_list_devices(reporter->queue, &all);
    } else {
        atomic_fetch_or(&known, 1u << reporter->device);
        queue_worker_readiness(reporter->queue, reporter->device, QUEUE_WARM);
    }
    return NULL;
}

static void report_at_once(struct queue *queue)
{
    struct reporter reporters[DEVICES + 1];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, DEVICES + 1);
    for (int i = 0; i <= DEVICES; i++) {
        reporters[i] = (struct reporter){.queue = queue, .start = &start, .device = i - 1};
        pthread_create(&reporters[i].thread, NULL, reporter_thread, &reporters[i]);
    }
    for (int i = 0; i <= DEVICES; i++)
        pthread_join(reporters[i].thread, NULL);
    pthread_barrier_destroy(&start);
}

/* A sweep is in the store and no device is known: after a restart it waits for none. Then all are known at
   the same moment. */
static void a_sweep_is_run_to_its_end_when_all_devices_come_at_once(void **state)
{
    struct service *service = *state;
    for (int i = 0; i < TRIES; i++) {
        bool spread = i % 2;
        service_submit_unbound(
            service,
            &(struct unbound_plain){.owner = "a", .devices = set_of(ALL), .count = POINTS, .spread = spread});
        service_stop(service);
        atomic_store(&known, 0);
        service_start(service);
        report_at_once(service->queue);
        for (int device = 0; device < DEVICES; device++) {
            struct device_stats stats;
            queue_view_device(service->queue, device, &stats);
            assert_int_equal(stats.queued, POINTS); /* the last selection knew all */
        }
        const struct task *task = queue_worker_next(service->queue, i % DEVICES, NULL);
        int ended = 0;
        for (; task; ended++)
            task = queue_worker_next(service->queue, i % DEVICES, &succeeded);
        assert_int_equal(ended, POINTS);
    }
}

/* ---- a submission on its way while the list changes ---- */

struct stall {
    struct store_write write; /* first: a write is cast to its stall */
    struct store_hold hold;
    sem_t begun, over;
};

static void stall_done(struct store_write *write, const struct error *failed)
{
    struct stall *stall = (struct stall *)write;
    (void)failed;
    sem_post(&stall->begun);
    sem_wait(&stall->over);
}

/* Stops the writer from committing anything until `over` is posted. */
static void stall_begin(struct stall *stall, struct store *store)
{
    *stall = (struct stall){.write.done = stall_done, .hold = {.device = DEVICES, .owner = ""}};
    stall->write.hold = &stall->hold;
    sem_init(&stall->begun, 0, 0);
    sem_init(&stall->over, 0, 0);
    store_hand_over(store, &stall->write);
    sem_wait(&stall->begun);
}

static void on_submitted(void *arg, const struct submitted *submitted)
{
    assert_int_equal(submitted->outcome, SUBMITTED_NEW);
    sem_post(arg);
}

/* A worker that waits for something and takes it. */
struct sleeper {
    struct queue *queue;
    int device;
    bool took;
    atomic_bool ended;
    pthread_t thread;
};

static void *sleeper_thread(void *arg)
{
    struct sleeper *sleeper = arg;
    sleeper->took = queue_worker_wait(sleeper->queue, sleeper->device, LONG_MS) &&
                    queue_worker_next(sleeper->queue, sleeper->device, NULL);
    atomic_store(&sleeper->ended, true);
    return NULL;
}

static bool is_sleeping(struct queue *queue, int device)
{
    pthread_mutex_lock(&queue->lock);
    bool sleeping = device_set_has(&queue->sleeping, device);
    pthread_mutex_unlock(&queue->lock);
    return sleeping;
}

/* Returns when it sleeps, or has slept. */
static void sleeper_begin(struct sleeper *sleeper, struct queue *queue, int device)
{
    *sleeper = (struct sleeper){.queue = queue, .device = device};
    pthread_create(&sleeper->thread, NULL, sleeper_thread, sleeper);
    while (!is_sleeping(queue, device) && !atomic_load(&sleeper->ended))
        sched_yield();
}

static bool sleeper_took(struct sleeper *sleeper)
{
    pthread_join(sleeper->thread, NULL);
    return sleeper->took;
}

static void what_is_submitted_while_its_device_leaves_is_run_by_another(void **state)
{
    struct service *service = *state;
    struct device_set one = set_of(1), other = set_of(2);
    struct stall stall;
    struct sleeper sleeper;
    sem_t submitted;
    struct error error = {0};
    sem_init(&submitted, 0, 0);
    queue_admin_list_devices(service->queue, &one);
    stall_begin(&stall, service->store);
    struct sweep_experiment run = {
        .kernel = "copy", .devices = one, .open = true, .timeout_s = 60, .request = "{}"};
    struct sweep alone = {.experiments = &run, .experiment_count = 1, .rounds = 1};
    struct queue_submission submission = {.sweep = &alone, .owner = "a"};
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, &submitted, &error), 0);
    atomic_store(&known, 2);
    queue_admin_list_devices(service->queue, &other);
    sleeper_begin(&sleeper, service->queue, 1);
    sem_post(&stall.over);
    sem_wait(&submitted);
    assert_true(sleeper_took(&sleeper));
    store_flush(service->store);
    sem_destroy(&submitted);
    sem_destroy(&stall.begun);
    sem_destroy(&stall.over);
}

static atomic_bool asking;

/* Others ask for a selection as often as one is made: the list of devices changes during each. */
static void select_asked_again(void *arg, struct queue_selection *selections, int count)
{
    struct service *service = arg;
    unsigned passes = atomic_load(&asking) ? atomic_fetch_add(&known, 1) : PASSES_MOST;
    struct device_set now = set_of(passes % 2 ? ALL : ALL - 4);
    for (int i = 0; i < count; i++)
        selections[i] =
            (struct queue_selection){.request = selections[i].request, .devices = set_of(ALL), .open = true};
    if (passes < PASSES_MOST)
        queue_admin_list_devices(service->queue, &now);
}

static void a_worker_with_work_does_not_select_for_ever(void **state)
{
    struct service *service = *state;
    struct device_set one = set_of(1), other = set_of(2);
    struct stall stall;
    sem_t submitted;
    struct error error = {0};
    char id[ID_BYTES];
    service_stop(service);
    service->config.select = select_asked_again;
    service->config.select_arg = service;
    service_start(service);
    sem_init(&submitted, 0, 0);
    queue_admin_list_devices(service->queue, &one);
    stall_begin(&stall, service->store);
    struct sweep_experiment run = {
        .kernel = "copy", .devices = one, .open = true, .timeout_s = 60, .request = "{}"};
    struct sweep alone = {.experiments = &run, .experiment_count = 1, .rounds = 1};
    struct queue_submission submission = {.sweep = &alone, .owner = "a"};
    assert_int_equal(queue_submit(service->queue, &submission, on_submitted, &submitted, &error), 0);
    queue_admin_list_devices(service->queue, &other);
    sem_post(&stall.over);
    sem_wait(&submitted); /* and a selection is wanted */
    service_queue(service, 1, 0, id);
    atomic_store(&known, 0);
    atomic_store(&asking, true);
    assert_true(queue_worker_wait(service->queue, 1, LONG_MS));
    assert_int_equal(atomic_load(&known), 1);
    atomic_store(&asking, false);
    store_flush(service->store);
    sem_destroy(&submitted);
    sem_destroy(&stall.begun);
    sem_destroy(&stall.over);
}

/* ---- wake-ups ---- */

/* The device that runs on for the service before this one is idle, and takes nothing: it is not waited
   for. */
static void work_is_not_left_to_a_device_that_may_not_begin_yet(void **state)
{
    struct service *service = *state;
    struct device_set outliving = set_of(1);
    struct sleeper sleepers[2];
    service_submit_unbound(service, &(struct unbound_plain){.owner = "a", .devices = set_of(1)});
    assert_non_null(queue_worker_next(service->queue, 0, NULL));
    assert_true(queue_worker_begun(service->queue, 0));
    service_stop(service);
    service->config.outliving = &outliving;
    service->config.outlive_s = 0.3;
    atomic_store(&known, 3);
    atomic_store(&open, false);
    service_start(service);
    for (int i = 0; i < DEVICES; i++)
        queue_worker_readiness(service->queue, i, i == 0 ? QUEUE_WARM : i == 1 ? QUEUE_AWAY : QUEUE_OUT);
    for (int i = 0; i < 2; i++)
        sleeper_begin(&sleepers[i], service->queue, i);
    service_submit_unbound(service, &(struct unbound_plain){.owner = "a", .devices = set_of(3)});
    assert_true(sleeper_took(&sleepers[1]));
    assert_true(sleeper_took(&sleepers[0])); /* that time is over, and what it ran waits for it alone */
}

static void of_those_that_are_being_started_the_first_is_woken(void **state)
{
    struct service *service = *state;
    struct sleeper first, second;
    for (int i = 0; i < DEVICES; i++)
        queue_worker_readiness(service->queue, i, QUEUE_OUT);
    queue_worker_readiness(service->queue, 3, QUEUE_STARTING);
    queue_worker_readiness(service->queue, 2, QUEUE_STARTING);
    sleeper_begin(&first, service->queue, 3);
    sleeper_begin(&second, service->queue, 2);
    service_submit_unbound(service, &(struct unbound_plain){.owner = "a", .devices = set_of(ALL)});
    assert_true(sleeper_took(&first));
    queue_stop(service->queue);
    assert_false(sleeper_took(&second));
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, setup, service_teardown)
    const struct CMUnitTest tests[] = {
        ONE(a_sweep_is_run_to_its_end_when_all_devices_come_at_once),
        ONE(what_is_submitted_while_its_device_leaves_is_run_by_another),
        ONE(a_worker_with_work_does_not_select_for_ever),
        ONE(work_is_not_left_to_a_device_that_may_not_begin_yet),
        ONE(of_those_that_are_being_started_the_first_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

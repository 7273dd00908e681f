/* The queue shared by owners, on a clock of the test: shares, positions, limits and holds. */
#include <math.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "server/queue/entry.h"
#include "tests/unit/support/service.h"

static int64_t test_ns;

static int64_t test_now_ns(void)
{
    return test_ns;
}

static void pass_s(double seconds)
{
    test_ns += llround(seconds * 1e9);
}

static int setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service->config.limit = 20000;
    service->config.owner_limit = 10000;
    service->config.owner_seconds = 604800;
    service->config.half_life_s = 1e18; /* usage does not decay, unless a test says so */
    service->config.now_ns = test_now_ns;
    service_start(service);
    *state = service;
    return 0;
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{\"schema\": 1}"};

/* Submits a sweep of `count` experiments; key: NULL for none. */
static struct submitted submit(struct service *service, const char *owner, int count, double timeout_s,
                               int priority, const char *key)
{
    struct sweep_experiment *runs = calloc((size_t)count, sizeof *runs);
    struct sweep_point *points = calloc((size_t)count, sizeof *points);
    for (int i = 0; i < count; i++) {
        runs[i] = (struct sweep_experiment){.kernel = "copy",
                                            .devices = device_set_of(0),
                                            .priority = priority,
                                            .timeout_s = timeout_s,
                                            .request = "{\"kernel\":\"copy\"}",
                                            .points = 1};
        points[i] = (struct sweep_point){.experiment = i, .values = "{}"};
    }
    struct sweep sweep = {
        .experiments = runs, .experiment_count = count, .rounds = 1, .points = points, .point_count = count};
    struct queue_submission submission = {
        .sweep = &sweep, .owner = owner, .request = "{}", .idempotency_key = key, .fingerprint = ""};
    struct submitted submitted = service_submit_sweep(service, &submission);
    free(runs);
    free(points);
    return submitted;
}

static struct submitted submit_new(struct service *service, const char *owner, int count, int priority)
{
    struct submitted submitted = submit(service, owner, count, 60, priority, NULL);
    assert_int_equal(submitted.outcome, SUBMITTED_NEW);
    return submitted;
}

static const char *owner_of(const struct task *task)
{
    const struct entry *entry = (const struct entry *)((const char *)task - offsetof(struct entry, task));
    return entry->owner->name;
}

/* Runs the next experiment of device 0 for that long. Returns its owner's name, one letter here; '-': none waits. */
static char run_one(struct service *service, double took_s)
{
    const struct task *task = queue_worker_next(service->queue, 0, NULL);
    if (!task)
        return '-';
    char name = owner_of(task)[0];
    pass_s(took_s);
    const struct ending cancelled = {.state = JOB_CANCELLED};
    service->queue->stopping = true; /* takes no other */
    queue_worker_next(service->queue, 0, queue_view_cancelled(service->queue, 0) ? &cancelled : &succeeded);
    service->queue->stopping = false;
    return name;
}

static void runs_are(struct service *service, const char *wanted, double took_s)
{
    char ran[64] = "";
    for (size_t i = 0; wanted[i]; i++)
        ran[i] = run_one(service, took_s);
    assert_string_equal(ran, wanted);
}

static const char *first_of_newest_owner(struct service *service)
{
    const struct owner *owner = LIST_FIRST(&service->queue->owners.all);
    return order_first(LIST_FIRST(&owner->owner_queues)->waiting)->id;
}

static void behind_ten_thousand_of_one_the_next_is_another(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 10000, 100);
    assert_int_equal(run_one(service, 1), 'a');
    submit_new(service, "b", 1, -100); /* priorities are for one's own */
    struct queue_owner *owners;
    assert_int_equal(queue_view_owners(service->queue, 0, &owners), 2);
    assert_string_equal(owners[0].name, "b");
    assert_true(owners[0].share == 0 && owners[1].share == 1);
    assert_int_equal(owners[1].queued, 9999);
    /* b's one comes first, then a's 9999, each for the second that the last one took. */
    assert_true(owners[0].begins_s == 0 && owners[0].ends_s == 1);
    assert_true(owners[1].begins_s == 1 && owners[1].ends_s == 10000);
    char named[ID_BYTES];
    memcpy(named, owners[0].next, ID_BYTES);
    free(owners);
    const struct task *first = queue_worker_next(service->queue, 0, NULL);
    assert_string_equal(first->id, named);
    queue_worker_hand_back(service->queue, 0, false, NULL);
    runs_are(service, "baa", 1);
}

static void the_owner_that_used_less_is_next_however_long_the_runs_are(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 20, 0);
    submit_new(service, "b", 20, 0);
    assert_int_equal(run_one(service, 3), 'a');
    runs_are(service, "bbbabababa", 1); /* both at 3: a was served longest ago */
}

static void usage_is_forgotten_by_half_lives(void **state)
{
    struct service *service = *state;
    service_stop(service);
    service->config.half_life_s = 100;
    service_start(service);
    submit_new(service, "a", 9, 0);
    assert_int_equal(run_one(service, 64), 'a');
    pass_s(600); /* a's 64 are 1 now */
    submit_new(service, "b", 9, 0);
    runs_are(service, "bba", 0.6);
}

static void an_override_goes_before_everybody_and_is_paid_for(void **state)
{
    struct service *service = *state;
    struct queue_position position;
    submit_new(service, "a", 3, 0);
    submit_new(service, "b", 3, 100);
    assert_int_equal(run_one(service, 1), 'a');
    submit_new(service, "b", 2, PRIORITY_OVERRIDE);
    struct order_node *last = order_at(service->queue->devices[0].group.overrides, 1);
    assert_int_equal(queue_view_position(service->queue, last->id, &position), 1);
    assert_true(position.ahead_s == 1);
    /* Behind the overrides and one of a's. */
    assert_int_equal(queue_view_position(service->queue, first_of_newest_owner(service), &position), 3);
    runs_are(service, "bbababb-", 1);
}

static void usage_and_order_survive_the_service(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 5, 0);
    submit_new(service, "b", 5, 0);
    assert_int_equal(run_one(service, 2.5), 'a');
    service_stop(service);
    service_start(service);
    runs_are(service, "bbbababaa-", 1);
}

static void a_run_that_is_cancelled_or_handed_back_is_paid_for(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 5, 0);
    submit_new(service, "b", 5, 0);
    queue_worker_next(service->queue, 0, NULL);
    pass_s(5);
    queue_worker_hand_back(service->queue, 0, false, NULL); /* a's, at its position again */
    runs_are(service, "bbbb", 1);
    queue_worker_next(service->queue, 0, NULL); /* b at 4 */
    pass_s(2);
    queue_worker_next(service->queue, 0, &(struct ending){.state = JOB_CANCELLED}); /* takes a's: 5, b: 6 */
    pass_s(1);
    queue_worker_hand_back(service->queue, 0, true, "killed");
    assert_int_equal(run_one(service, 1), 'a'); /* b has nothing left */
}

enum { OWNERS = 6, ROUNDS = 100, WAITING_MOST = 64 };

struct prediction {
    const char *id;
    struct queue_position position;
    char copy[ID_BYTES];
};

static int predictions_add(struct service *service, const struct order_node *node,
                           struct prediction predictions[], int count)
{
    if (!node)
        return count;
    count = predictions_add(service, node->left, predictions, count);
    memcpy(predictions[count].copy, node->id, ID_BYTES);
    assert_true(queue_view_position(service->queue, node->id, &predictions[count].position) >= 0);
    return predictions_add(service, node->right, predictions, count + 1);
}

static double lasts_s(const char *owner)
{
    return (owner[0] - 'a') % 3 + 1;
}

static void predicted_positions_and_times_come_true(void **state)
{
    struct service *service = *state;
    struct queue *queue = service->queue;
    unsigned seed = 3;
    char names[OWNERS][2] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < OWNERS; i++) { /* so that the mean of each is known */
        submit_new(service, names[i], 1, 0);
        assert_int_equal(run_one(service, lasts_s(names[i])), names[i][0]);
    }
    for (int round = 0, checked = 0; round < ROUNDS; round++) {
        struct prediction predictions[WAITING_MOST];
        for (int i = 0; i < OWNERS; i++)
            if (rand_r(&seed) % 3)
                submit_new(service, names[i], 1 + rand_r(&seed) % 6, rand_r(&seed) % 3);
        const struct task *task = NULL;
        double rest_s = 0;
        if (rand_r(&seed) % 2 && (task = queue_worker_next(queue, 0, NULL))) {
            rest_s = lasts_s(owner_of(task)) / 2;
            pass_s(rest_s);
        }
        int count = 0, ran = task ? 1 : 0;
        const struct owner *owner;
        LIST_FOREACH (owner, &queue->owners.all, next)
            if (!LIST_EMPTY(&owner->owner_queues))
                count =
                    predictions_add(service, LIST_FIRST(&owner->owner_queues)->waiting, predictions, count);
        int64_t predicted_ns = test_ns;
        if (task)
            pass_s(rest_s);
        while ((task = queue_worker_next(queue, 0, task ? &succeeded : NULL))) {
            int at = 0;
            while (at < count && strcmp(predictions[at].copy, task->id) != 0)
                at++;
            assert_in_range(at, 0, count - 1);
            assert_int_equal(predictions[at].position.position, ran);
            assert_true(fabs(predictions[at].position.ahead_s - (double)(test_ns - predicted_ns) / 1e9) <
                        1e-6);
            assert_true(fabs(predictions[at].position.own_s - lasts_s(owner_of(task))) < 1e-9);
            pass_s(lasts_s(owner_of(task)));
            ran++;
            checked++;
        }
        assert_true(round < ROUNDS - 1 || checked > ROUNDS * 5);
    }
}

static int height(const struct order_node *node)
{
    if (!node)
        return 0;
    int left = height(node->left), right = height(node->right);
    return 1 + (left > right ? left : right);
}

static void answer_cancelled(void *arg, const struct error *failed)
{
    assert_null(failed);
    sem_post(arg);
}

/* A position takes as many steps as there are owners and levels in an owner queue. */
static void twenty_thousand_of_forty_stay_few_steps_deep(void **state)
{
    struct service *service = *state;
    char name[16];
    struct submitted last = {0};
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "o%d", i);
        last = submit_new(service, name, i ? 256 : 9984, i % 3);
    }
    const struct owner *owner;
    LIST_FOREACH (owner, &service->queue->owners.all, next)
        assert_true(height(LIST_FIRST(&owner->owner_queues)->waiting) <= (owner->waiting > 256 ? 50 : 30));
    assert_int_equal(service->queue->owners.count, 40);
    assert_int_equal(service->queue->queued, 9984 + 39 * 256);
    sem_t came;
    struct error error = {0};
    sem_init(&came, 0, 0);
    assert_int_equal(queue_cancel_sweep(service->queue, last.id, "", answer_cancelled, &came, &error), 0);
    sem_wait(&came);
    sem_destroy(&came);
    assert_int_equal(service->queue->queued, 9984 + 38 * 256);
    assert_int_equal(order_size(service->queue->devices[0].group.ages), 9984 + 38 * 256);
}

static void refused(struct submitted submitted, enum error_kind kind, const char *words)
{
    assert_int_equal(submitted.outcome, SUBMITTED_FAILED);
    assert_int_equal(submitted.error.kind, kind);
    if (!strstr(submitted.error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", submitted.error.text, words);
}

static void the_queue_cannot_be_filled_against_others(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 10000, 0);
    refused(submit(service, "a", 1, 60, 0, NULL), ERROR_FULL, "you have 10000 waiting");
    refused(submit(service, "b", 10000, 60, 0, NULL), ERROR_FULL, "may have 6666 more now, not 10000");
    refused(submit(service, "b", 10001, 0.1, 0, NULL), ERROR_INVALID, "no more than 10000 may ever wait");
    submit_new(service, "b", 6666, 0);
    submit_new(service, "c", 2222, 0);
    refused(submit(service, "b", 1, 60, 0, NULL), ERROR_FULL, "you have 6666 waiting");
    char name[16];
    for (int i = 0; i < 37; i++) { /* a 64th each, however full it is */
        snprintf(name, sizeof name, "m%d", i);
        submit_new(service, name, 312, 0);
    }
    refused(submit(service, "m0", 200, 60, 0, NULL), ERROR_FULL, "312 waiting and may have 0 more now");
    assert_true(queue_limits_wait_s(service->queue, "new", 1, 60) == 0);
    assert_true(queue_limits_wait_s(service->queue, "m0", 1, 60) < 0); /* nothing ran yet */
}

static void the_time_limits_of_an_owner_have_a_limit(void **state)
{
    struct service *service = *state;
    refused(submit(service, "a", 10000, 3600, 0, NULL), ERROR_INVALID, "36000000 s");
    assert_int_equal(submit(service, "a", 100, 6000, 0, "key").outcome, SUBMITTED_NEW);
    refused(submit(service, "a", 10, 600, 0, NULL), ERROR_FULL, "600000 s");
    refused(submit(service, "a", 10, 600, 0, "other"), ERROR_FULL,
            "600000 s"); /* after the store's look-up */
    assert_int_equal(submit(service, "a", 100, 6000, 0, "key").outcome, SUBMITTED_AGAIN);
    assert_int_equal(submit(service, "b", 10, 600, 0, NULL).outcome, SUBMITTED_NEW);
    for (int i = 0; i < 3; i++)
        run_one(service, 10);
    /* a has 98 of 6000 s; it shares the device, so that in 20 s one of its runs ends. */
    assert_true(fabs(queue_limits_wait_s(service->queue, "a", 4, 24000) - 7200.0 / 6000 * 20) < 1e-6);
    assert_true(queue_limits_wait_s(service->queue, "a", 1, 60) == 0);
}

static void a_retry_after_is_when_a_submission_fits(void **state)
{
    struct service *service = *state;
    submit_new(service, "a", 10000, 0);
    submit_new(service, "b", 300, 0);
    for (int i = 0; i < 20; i++)
        run_one(service, 2);
    /* a has 9990 waiting; 100 more take 90 of its runs, and b has every other one. */
    assert_true(fabs(queue_limits_wait_s(service->queue, "a", 100, 6000) - 90 * 4) < 1e-6);
    int ran = 0;
    while (submit(service, "a", 100, 0.1, 0, NULL).outcome != SUBMITTED_NEW)
        ran += run_one(service, 2) != '-'; /* unless the disk is behind */
    assert_in_range(ran, 178, 182);
}

static void without_limits_for_owners_only_the_queues_limit_holds(void **state)
{
    struct service *service = *state;
    service_stop(service);
    service->config.owner_limit = 0;
    service->config.owner_seconds = 0;
    service->config.limit = 100;
    service_start(service);
    submit_new(service, "", 100, 0);
    refused(submit(service, "", 1, 60, 0, NULL), ERROR_FULL, "100 wait and 100 may");
    refused(submit(service, "other", 1, 60, 0, NULL), ERROR_FULL, "100 wait and 100 may");
}

static void hold(struct service *service, int device, bool held, const char *owner)
{
    sem_t came;
    struct error error = {0};
    sem_init(&came, 0, 0);
    assert_int_equal(
        queue_admin_hold(service->queue, device, held, owner, NULL, answer_cancelled, &came, &error), 0);
    sem_wait(&came);
    sem_destroy(&came);
}

static void what_is_held_waits_and_a_restart_changes_nothing(void **state)
{
    struct service *service = *state;
    struct device_stats stats, all;
    struct queue_position position;
    bool paused;
    struct submitted sweep = submit_new(service, "a", 3, 0);
    const struct task *task = queue_worker_next(service->queue, 0, NULL);
    assert_non_null(task);
    hold(service, 0, true, "root");
    hold(service, 0, true, "another"); /* changes nothing */
    pass_s(1);
    assert_null(queue_worker_next(service->queue, 0, &succeeded)); /* what runs ends */
    assert_false(queue_worker_wait(service->queue, 0, 1));
    service_stop(service);
    service_start(service);
    queue_view_device(service->queue, 0, &stats);
    assert_true(stats.hold.held && stats.hold.since_ms > 0);
    assert_string_equal(stats.hold.owner, "root");
    queue_view_device(service->queue, QUEUE_ALL_DEVICES, &all);
    assert_false(all.hold.held);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    assert_int_equal(queue_view_position(service->queue, first_of_newest_owner(service), &position), 0);
    assert_true(position.paused && position.ahead_s < 0);
    assert_true(queue_view_sweep_eta_s(service->queue, sweep.id, &paused) < 0 && paused);
    hold(service, QUEUE_ALL_DEVICES, true, "root");
    hold(service, 0, false, "");
    assert_null(queue_worker_next(service->queue, 0, NULL));
    hold(service, QUEUE_ALL_DEVICES, false, "");
    assert_true(queue_worker_wait(service->queue, 0, 60000));
    assert_int_equal(run_one(service, 1), 'a');
    assert_true(queue_view_sweep_eta_s(service->queue, sweep.id, &paused) == 1 && !paused);
    struct error error = {0};
    assert_int_equal(queue_admin_hold(service->queue, 2, true, "", NULL, answer_cancelled, NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, service_teardown)
    const struct CMUnitTest tests[] = {
        TEST(behind_ten_thousand_of_one_the_next_is_another),
        TEST(the_owner_that_used_less_is_next_however_long_the_runs_are),
        TEST(usage_is_forgotten_by_half_lives),
        TEST(an_override_goes_before_everybody_and_is_paid_for),
        TEST(usage_and_order_survive_the_service),
        TEST(a_run_that_is_cancelled_or_handed_back_is_paid_for),
        TEST(predicted_positions_and_times_come_true),
        TEST(twenty_thousand_of_forty_stay_few_steps_deep),
        TEST(the_queue_cannot_be_filled_against_others),
        TEST(the_time_limits_of_an_owner_have_a_limit),
        TEST(a_retry_after_is_when_a_submission_fits),
        TEST(without_limits_for_owners_only_the_queues_limit_holds),
        TEST(what_is_held_waits_and_a_restart_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Experiments that may run on several devices: which device takes them, where a sweep stays, and how long
   they wait. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/sweep.h"
#include "server/queue/queue_entries.h"
#include "tests/unit/support/service.h"

enum { DEVICES = 4 };

static int64_t test_ns;

static int64_t test_now_ns(void)
{
    return test_ns;
}

static struct device_set set_of(unsigned bits)
{
    return (struct device_set){{bits}};
}

static struct device_set known; /* what select() answers, when there is one */

static void select_known(void *arg, struct queue_selection *selections, int count)
{
    (void)arg;
    for (int i = 0; i < count; i++) {
        selections[i].devices = known;
        selections[i].open = true;
    }
}

static int setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service->config.devices = DEVICES;
    service->config.limit = 1000;
    service->config.half_life_s = 1e18;
    service->config.now_ns = test_now_ns;
    service->config.select = select_known;
    known = set_of(15);
    service_start(service);
    *state = service;
    return 0;
}

static const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};

static void submit(struct service *service, const char *owner, unsigned devices, int count, bool spread,
                   char id[ID_BYTES])
{
    struct submitted submitted = service_submit_unbound(
        service, &(struct unbound_plain){
                     .owner = owner, .devices = set_of(devices), .count = count, .spread = spread});
    if (id)
        memcpy(id, submitted.id, ID_BYTES);
}

static struct device_stats stats_of(struct service *service, int device)
{
    struct device_stats stats;
    queue_view_device(service->queue, device, &stats);
    return stats;
}

/* ---- which device takes ---- */

static void one_that_may_run_on_several_is_taken_once(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    submit(service, "a", 6, 0, false, id);
    struct job *job = service_get(service, id);
    assert_int_equal(job->device, -1);
    job_free(job);
    assert_int_equal(stats_of(service, 0).queued, 0);
    assert_int_equal(stats_of(service, QUEUE_ALL_DEVICES).queued, 1);
    assert_int_equal(stats_of(service, 1).queued, 1);
    assert_int_equal(stats_of(service, 2).queued, 1);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    const struct task *task = queue_worker_next(service->queue, 2, NULL);
    assert_string_equal(task->id, id);
    assert_int_equal(task->device, 2);
    assert_null(queue_worker_next(service->queue, 1, NULL));
    job = service_get(service, id);
    assert_int_equal(job->device, 2);
    job_free(job);
    queue_worker_hand_back(service->queue, 2, false, NULL);
    job = service_get(service, id);
    assert_int_equal(job->device, -1);
    job_free(job);
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->id, id);
    assert_null(queue_worker_next(service->queue, 1, &succeeded));
    job = service_get(service, id);
    assert_int_equal(job->device, 1);
    assert_int_equal(job->state, JOB_SUCCEEDED);
    job_free(job);
}

static void overrides_count_over_all_groups_of_a_device(void **state)
{
    struct service *service = *state;
    char old[ID_BYTES], unbound[ID_BYTES], pinned[ID_BYTES];
    submit(service, "a", 1, 0, false, old);
    struct submitted submitted = service_submit_unbound(
        service, &(struct unbound_plain){.owner = "b", .devices = set_of(3), .priority = 150});
    memcpy(unbound, submitted.id, ID_BYTES);
    submitted = service_submit_unbound(
        service, &(struct unbound_plain){.owner = "c", .devices = set_of(1), .priority = 151});
    memcpy(pinned, submitted.id, ID_BYTES);
    struct queue_position position;
    assert_int_equal(queue_view_position(service->queue, pinned, &position), 0);
    assert_int_equal(queue_view_position(service->queue, unbound, &position), 1);
    assert_int_equal(queue_view_position(service->queue, old, &position), 2);
    struct queue_owner *owners;
    assert_int_equal(queue_view_owners(service->queue, 0, &owners), 3);
    const char *const next[] = {old, unbound, pinned};
    for (int i = 0; i < 3; i++)
        assert_string_equal(owners[i].next, next[owners[i].name[0] - 'a']);
    free(owners);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, pinned);
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->id, unbound);
    assert_string_equal(queue_worker_next(service->queue, 0, &succeeded)->id, old);
}

static void submit_first(struct service *service, unsigned devices, int priority, char id[ID_BYTES])
{
    struct submitted submitted = service_submit_unbound(
        service, &(struct unbound_plain){.owner = "a", .devices = set_of(devices), .priority = priority});
    memcpy(id, submitted.id, ID_BYTES);
}

/* Are the listed experiments these, in this order, each with its owner's name and its request? */
static void assert_listed(struct service *service, const char *const *ids, int id_count, const char *owner,
                          int most, const char *const *expected, int count)
{
    struct queue_entry *entries;
    assert_int_equal(queue_view_entries(service->queue, ids, id_count, owner, most, &entries), count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(entries[i].id, expected[i]);
        assert_int_equal(entries[i].position.running, i == 0);
        assert_string_equal(entries[i].owner, "a");
        assert_int_equal(entries[i].request[0], '{');
        assert_string_equal(entries[i].sweep, "");
    }
    queue_view_free_entries(entries, count);
}

static void what_runs_and_the_first_of_an_owner_are_listed_once_in_their_order(void **state)
{
    struct service *service = *state;
    char runs[ID_BYTES], early[ID_BYTES], late[ID_BYTES], first[ID_BYTES];
    submit_first(service, 1, 0, runs);
    assert_string_equal(queue_worker_next(service->queue, 0, NULL)->id, runs);
    submit_first(service, 1, 0, early);
    submit_first(service, 1, -1, late);
    submit(service, "b", 1, 0, false, NULL);
    submit_first(service, 1, 150, first);
    const char *const all[] = {runs, first, early, late}, *const cut[] = {runs, first, early},
                      *const named[] = {runs, late};
    const char *const ids[] = {runs, first, "", "unknown", first}, *const other[] = {late, runs};
    assert_listed(service, ids, 5, "a", 10, all, 4);
    assert_listed(service, ids, 5, "a", 2, cut, 3);
    assert_listed(service, other, 2, "a", 0, named, 2);
    assert_listed(service, other, 2, "nobody of this name", 10, named, 2);
    struct queue_entry *none;
    assert_int_equal(queue_view_entries(service->queue, NULL, 0, "c", 5, &none), 0);
    queue_view_free_entries(none, 0);
}

/* The devices run one experiment after the other, each for its owner's time; what each owner has had in
   the end. */
static void owners_share_all_devices_whatever_they_ask_for(void **state)
{
    static const struct {
        const char *owner;
        unsigned devices;
        double took_s;
    } users[] = {{"a", 15, 1}, {"b", 15, 3}, {"c", 3, 1}, {"d", 12, 2}};
    enum { USERS = 4, ROUNDS = 240 };
    struct service *service = *state;
    double had_s[USERS] = {0}, left_s[DEVICES] = {0};
    int runs[DEVICES];
    for (int i = 0; i < USERS; i++)
        for (int k = 0; k < 4; k++)
            submit(service, users[i].owner, users[i].devices, 60, true, NULL);
    for (int i = 0; i < DEVICES; i++)
        runs[i] = -1;
    for (int round = 0; round < ROUNDS; round++) {
        int device = 0;
        for (int i = 1; i < DEVICES; i++)
            if (left_s[i] < left_s[device])
                device = i;
        double passed_s = left_s[device];
        test_ns += llround(passed_s * 1e9);
        for (int i = 0; i < DEVICES; i++)
            left_s[i] -= passed_s;
        const struct task *task =
            queue_worker_next(service->queue, device, runs[device] >= 0 ? &succeeded : NULL);
        store_flush(service->store);
        assert_non_null(task);
        runs[device] = task->owner[0] - 'a';
        left_s[device] = users[runs[device]].took_s;
        had_s[runs[device]] += left_s[device];
    }
    double all_s = had_s[0] + had_s[1] + had_s[2] + had_s[3];
    for (int i = 0; i < USERS; i++)
        assert_true(fabs(had_s[i] / all_s - 0.25) < 0.03);
}

/* ---- sweeps ---- */

static void a_sweep_stays_on_the_device_that_took_its_first_across_a_restart(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES];
    submit(service, "a", 15, 6, false, id);
    for (int i = 0; i < DEVICES; i++)
        assert_int_equal(stats_of(service, i).queued, 6);
    const struct task *task = queue_worker_next(service->queue, 2, NULL);
    assert_string_equal(task->sweep, id);
    for (int i = 0; i < DEVICES; i++)
        assert_int_equal(stats_of(service, i).queued, i == 2 ? 5 : 0);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    queue_worker_hand_back(service->queue, 2, false, NULL); /* handed back it is this device's all the same */
    assert_null(queue_worker_next(service->queue, 1, NULL));
    queue_worker_next(service->queue, 2, NULL);
    service_stop(service);
    service_start(service);
    assert_null(queue_worker_next(service->queue, 0, NULL));
    for (int i = 0; i < 6; i++)
        assert_non_null(queue_worker_next(service->queue, 2, i ? &succeeded : NULL));
    assert_null(queue_worker_next(service->queue, 2, &succeeded));
}

static void a_sweep_is_bound_with_what_of_it_was_cancelled_before(void **state)
{
    struct service *service = *state;
    struct error error = {0};
    char id[ID_BYTES], first[ID_BYTES];
    submit(service, "a", 3, 3, false, id);
    memcpy(first, queue_worker_next(service->queue, 0, NULL)->id, ID_BYTES);
    queue_worker_hand_back(service->queue, 0, false, NULL);
    assert_int_equal(service_cancel(service, first, &error), 0);
    submit(service, "a", 3, 3, false, id); /* and one of which nothing ran */
    for (int i = 0; i < 2; i++)
        queue_worker_next(service->queue, 0, i ? &succeeded : NULL);
    struct queue_owner *owners;
    assert_int_equal(queue_view_owners(service->queue, 1, &owners), 1);
    assert_int_equal(owners[0].queued, 3);
    assert_int_equal(service_cancel(service, owners[0].next, &error), 0);
    assert_string_equal(queue_worker_next(service->queue, 1, NULL)->sweep, id);
    assert_non_null(queue_worker_next(service->queue, 1, &succeeded));
    assert_null(queue_worker_next(service->queue, 1, &succeeded));
    struct job *job = service_get(service, owners[0].next);
    assert_int_equal(job->device, -1);
    assert_int_equal(job->state, JOB_CANCELLED);
    job_free(job);
    free(owners);
    assert_true(store_healthy(service->store, &error));
}

static void a_spread_sweep_uses_all_and_takes_what_is_lost_anywhere(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES], lost[ID_BYTES];
    struct sweep_row row;
    struct error error = {0};
    submit(service, "a", 15, 8, true, id);
    for (int i = 0; i < DEVICES; i++)
        assert_string_equal(queue_worker_next(service->queue, i, NULL)->sweep, id);
    memcpy(lost, stats_of(service, 3).running, ID_BYTES);
    queue_worker_hand_back(service->queue, 3, true, "preempted by \"root\"");
    struct job *job = service_get(service, lost);
    assert_int_equal(job->device, -1);
    assert_non_null(strstr(job->lost, "[{\"attempt\":1,\"device\":3,\"at\":"));
    assert_non_null(strstr(job->lost, "\"why\":\"preempted by \\\"root\\\"\"}]"));
    job_free(job);
    assert_string_equal(queue_worker_next(service->queue, 1, &succeeded)->id, lost);
    queue_worker_hand_back(service->queue, 1, false, "asked to leave");
    job = service_get(service, lost);
    assert_int_equal(job->attempt, 1);
    assert_non_null(strstr(job->lost, "{\"attempt\":2,\"device\":1,"));
    job_free(job);
    service_stop(service); /* devices 0 and 2 run theirs */
    service_start(service);
    assert_int_equal(store_sweep(service->store, id, &row, &error), 0);
    assert_true(row.spread);
    sweep_row_clear(&row);
    assert_int_equal(stats_of(service, 3).queued, 7);
    for (int i = 0; i < 7; i++)
        assert_non_null(queue_worker_next(service->queue, i % DEVICES, i < DEVICES ? NULL : &succeeded));
}

static void what_has_no_device_in_common_is_refused(void **state)
{
    struct service *service = *state;
    struct sweep_experiment runs[2] = {
        {.kernel = "copy", .devices = set_of(3), .timeout_s = 1, .request = "{}"},
        {.kernel = "copy", .devices = set_of(12), .timeout_s = 1, .request = "{}"}};
    struct sweep_point points[2] = {{.experiment = 0, .values = "{}"}, {.experiment = 1, .values = "{}"}};
    struct sweep sweep = {
        .experiments = runs, .experiment_count = 2, .rounds = 1, .points = points, .point_count = 2};
    struct queue_submission submission = {.sweep = &sweep, .request = "{}", .fingerprint = ""};
    struct submitted submitted = service_submit_sweep(service, &submission);
    assert_int_equal(submitted.error.kind, ERROR_INVALID);
    assert_non_null(strstr(submitted.error.text, "\"spread\": true"));
    sweep.spread = true;
    assert_int_equal(service_submit_sweep(service, &submission).outcome, SUBMITTED_NEW);
}

static void a_time_is_that_of_the_work_over_the_devices(void **state)
{
    struct service *service = *state;
    char id[ID_BYTES], other[ID_BYTES];
    bool paused;
    submit(service, "a", 1, 0, false, NULL);
    queue_worker_next(service->queue, 0, NULL);
    test_ns += 2000000000;
    queue_worker_next(service->queue, 0, &succeeded);
    submit(service, "a", 15, 40, true, id);
    submit(service, "a", 15, 10, false, other);
    /* 39 of two seconds on four devices, then the last one; the whole one is behind 40 and goes to one
       device. */
    assert_true(fabs(queue_view_sweep_eta_s(service->queue, id, &paused) - (39 * 2 / 4.0 + 2)) < 0.01);
    assert_true(fabs(queue_view_sweep_eta_s(service->queue, other, &paused) - (40 * 2 / 4.0 + 20)) < 0.01);
    assert_false(paused);
    struct device_set two = set_of(3);
    queue_admin_list_devices(service->queue, &two);
    assert_true(fabs(queue_view_sweep_eta_s(service->queue, id, &paused) - (39 * 2 / 2.0 + 2)) < 0.01);
    assert_true(fabs(queue_view_wait_s(service->queue, 0, "a") - 50 * 2 / 2.0) < 0.01);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, setup, service_teardown)
    const struct CMUnitTest tests[] = {
        ONE(one_that_may_run_on_several_is_taken_once),
        ONE(overrides_count_over_all_groups_of_a_device),
        ONE(what_runs_and_the_first_of_an_owner_are_listed_once_in_their_order),
        ONE(owners_share_all_devices_whatever_they_ask_for),
        ONE(a_sweep_stays_on_the_device_that_took_its_first_across_a_restart),
        ONE(a_sweep_is_bound_with_what_of_it_was_cancelled_before),
        ONE(a_spread_sweep_uses_all_and_takes_what_is_lost_anywhere),
        ONE(what_has_no_device_in_common_is_refused),
        ONE(a_time_is_that_of_the_work_over_the_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The queue over several devices against a plain list: random submissions, takes, ends, hand-backs,
   cancellations, holds, changes of the list and restarts. Nothing is lost, nothing runs twice or where it
   must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/service.h"

enum { DEVICES = 5, MOST = 4000, STEPS = 700, SEEDS = 4, ALL = (1 << DEVICES) - 1 };

enum state { QUEUED, RUNNING, SUCCEEDED, CANCELLED };

struct one {
    char id[ID_BYTES], sweep[ID_BYTES];
    char owner;
    int asked;  /* the devices of its request, as bits */
    int chosen; /* of them those that it was last selected for */
    int device; /* -1: unbound */
    int priority, attempt, lost, ends;
    bool spread;
    enum state state;
};

struct model {
    struct service service;
    struct one *ones;
    int count, listed, held;
    struct one *running[DEVICES];
    unsigned seed;
};

static int draw(struct model *model, int below)
{
    return rand_r(&model->seed) % below;
}

static struct device_set set_of(int bits)
{
    return (struct device_set){{(uint64_t)bits}};
}

static int listed_now; /* what select() sees */

static bool are_several(int bits)
{
    return (bits & (bits - 1)) != 0;
}

/* A request names its devices: {"on":BITS}; one alone is a device by its name. */
static void select_bits(void *arg, struct queue_selection *selections, int count)
{
    (void)arg;
    for (int i = 0; i < count; i++) {
        int bits = 0;
        assert_int_equal(sscanf(selections[i].request, "{\"on\":%d}", &bits), 1);
        selections[i].devices = set_of(bits & listed_now);
        selections[i].open = are_several(bits);
    }
}

static struct model *model_of_changes;

static void on_changed(void *arg, const char *id, enum job_state state)
{
    (void)arg;
    for (int i = 0; job_state_ended(state) && i < model_of_changes->count; i++)
        if (strcmp(model_of_changes->ones[i].id, id) == 0)
            __atomic_add_fetch(&model_of_changes->ones[i].ends, 1, __ATOMIC_SEQ_CST);
}

static bool is_unbound(const struct one *one)
{
    return are_several(one->asked);
}

/* ---- what a plain list says ---- */

static bool fits(const struct model *model, const struct one *one, int device)
{
    bool bound = one->device >= 0;
    return one->state == QUEUED && (model->listed & ~model->held) >> device & 1 &&
           (bound ? one->device == device : one->chosen >> device & 1);
}

static bool before(const struct one *a, const struct one *b)
{
    return a->priority != b->priority ? a->priority > b->priority : strcmp(a->id, b->id) < 0;
}

static void select_all(struct model *model)
{
    for (int i = 0; i < model->count; i++)
        if (is_unbound(&model->ones[i]))
            model->ones[i].chosen = model->ones[i].asked & model->listed;
}

static struct one *find(struct model *model, const char *id)
{
    for (int i = 0; i < model->count; i++)
        if (strcmp(model->ones[i].id, id) == 0)
            return &model->ones[i];
    fail_msg("%s was not submitted", id);
    return NULL;
}

static bool same_sweep(const struct one *a, const struct one *b)
{
    return a->sweep[0] && strcmp(a->sweep, b->sweep) == 0;
}

static void taken(struct model *model, int device, const struct task *task)
{
    if (!task) {
        for (int i = 0; i < model->count; i++)
            assert_false(fits(model, &model->ones[i], device));
        return;
    }
    struct one *one = find(model, task->id);
    assert_true(fits(model, one, device));
    assert_int_equal(task->attempt, ++one->attempt);
    assert_int_equal(task->device, device);
    for (int i = 0; i < model->count; i++)
        if (model->ones[i].owner == one->owner && fits(model, &model->ones[i], device))
            assert_false(before(&model->ones[i], one));
    for (int i = 0; i < model->count && is_unbound(one) && !one->spread; i++)
        if (same_sweep(&model->ones[i], one) && model->ones[i].state == QUEUED)
            model->ones[i].device = device;
    one->device = device;
    one->state = RUNNING;
    model->running[device] = one;
}

static void freed(struct model *model, int device, enum state state)
{
    struct one *one = model->running[device];
    one->state = state;
    model->running[device] = NULL;
    if (state == QUEUED && is_unbound(one) && one->spread)
        one->device = -1;
}

/* ---- what is done to it ---- */

static void added(struct model *model, const char *id, const char *sweep, const struct unbound_plain *unbound,
                  int asked)
{
    struct one *one = &model->ones[model->count++];
    *one = (struct one){.owner = unbound->owner[0],
                        .asked = asked,
                        .chosen = asked & model->listed,
                        .device =
                            is_unbound(&(struct one){.asked = asked}) ? -1 : __builtin_ctz((unsigned)asked),
                        .priority = unbound->priority,
                        .spread = unbound->spread || !sweep};
    memcpy(one->id, id, ID_BYTES);
    memcpy(one->sweep, sweep ? sweep : "", sweep ? ID_BYTES : 1);
}

struct adding {
    struct model *model;
    const struct unbound_plain *unbound;
    int asked;
};

static int add_job(void *arg, const struct job *job)
{
    struct adding *adding = arg;
    added(adding->model, job->id, job->sweep, adding->unbound, adding->asked);
    return 0;
}

static void do_submit(struct model *model)
{
    static const char *const owners[] = {"a", "b", "c"};
    char request[32];
    int asked = 1 + draw(model, ALL);
    int now = asked & model->listed;
    if (model->count > MOST - 20 || !now)
        return;
    snprintf(request, sizeof request, "{\"on\":%d}", asked);
    const struct unbound_plain unbound = {.owner = owners[draw(model, 3)],
                                          .request = request,
                                          .devices = set_of(now),
                                          .count = draw(model, 2) ? 0 : 1 + draw(model, 8),
                                          .priority = draw(model, 3),
                                          .spread = draw(model, 2),
                                          .open = are_several(asked)};
    struct submitted submitted = service_submit_unbound(&model->service, &unbound);
    struct error error = {0};
    const struct store_filter filter = {
        .state = -1, .device = -1, .sweep = submitted.id, .limit = 64, .within_ms = -1};
    if (unbound.count)
        assert_int_equal(store_list(model->service.store, &filter, add_job,
                                    &(struct adding){model, &unbound, asked}, &error),
                         0);
    else
        added(model, submitted.id, NULL, &unbound, asked);
}

static void do_next(struct model *model, int device)
{
    const struct ending succeeded = {.state = JOB_SUCCEEDED, .result = "{}"};
    bool ran = model->running[device];
    store_flush(model->service.store); /* nothing is taken while too much is not committed */
    if (ran)
        freed(model, device, SUCCEEDED);
    taken(model, device, queue_worker_next(model->service.queue, device, ran ? &succeeded : NULL));
}

static void do_hand_back(struct model *model, int device)
{
    struct one *one = model->running[device];
    int how = draw(model, 3);
    if (!one)
        return;
    one->attempt -= how != 1;
    one->lost += how != 0;
    freed(model, device, QUEUED);
    if (how == 0)
        queue_worker_hand_back(model->service.queue, device, false, NULL);
    else if (how == 1)
        queue_worker_hand_back(model->service.queue, device, true, "killed by \"somebody\"");
    else
        queue_worker_hand_back(model->service.queue, device, false, "asked to leave");
}

static void do_cancel(struct model *model)
{
    struct error error = {0};
    struct one *one = model->count ? &model->ones[draw(model, model->count)] : NULL;
    if (!one || one->state != QUEUED)
        return;
    assert_int_equal(service_cancel(&model->service, one->id, &error), 0);
    one->state = CANCELLED;
}

static void do_list(struct model *model)
{
    int now = 1 + draw(model, ALL);
    bool changed = now != model->listed;
    model->listed = listed_now = now;
    queue_admin_list_devices(model->service.queue, &(struct device_set){{(uint64_t)now}});
    if (changed)
        select_all(model);
}

static void on_held(void *arg, const struct error *failed)
{
    (void)arg;
    assert_null(failed);
}

static void do_hold(struct model *model, int device)
{
    struct error error = {0};
    model->held ^= 1 << device;
    assert_int_equal(queue_admin_hold(model->service.queue, device, model->held >> device & 1, "a", NULL,
                                      on_held, NULL, &error),
                     0);
    store_flush(model->service.store);
}

static void start(struct model *model)
{
    const struct device_set listed = set_of(model->listed);
    listed_now = model->listed;
    model->service.config.listed = &listed;
    service_start(&model->service);
}

static void do_restart(struct model *model)
{
    service_stop(&model->service);
    model->listed = 1 + draw(model, ALL);
    for (int i = 0; i < model->count; i++) {
        struct one *one = &model->ones[i];
        bool ran = one->state == RUNNING;
        if (one->state != QUEUED && !ran)
            continue;
        one->lost += ran;
        one->state = QUEUED;
        if (ran && one->spread && is_unbound(one))
            one->device = -1;
    }
    memset(model->running, 0, sizeof model->running);
    select_all(model);
    start(model);
}

/* ---- and what must hold ---- */

static void look(struct model *model)
{
    for (int device = 0; device < DEVICES; device++) {
        struct device_stats stats;
        struct queue_owner *owners;
        int waiting = 0, owned = 0;
        for (int i = 0; i < model->count; i++) {
            const struct one *one = &model->ones[i];
            waiting +=
                one->state == QUEUED && (one->device < 0 ? one->chosen >> device & 1 : one->device == device);
        }
        queue_view_device(model->service.queue, device, &stats);
        assert_int_equal(stats.queued, waiting);
        int count = queue_view_owners(model->service.queue, device, &owners);
        for (int i = 0; i < count; i++)
            owned += owners[i].queued;
        free(owners);
        if (model->listed >> device & 1)
            assert_int_equal(owned, waiting);
    }
    for (int i = 0; i < model->count; i += 7) {
        struct queue_position detail;
        const struct one *one = &model->ones[i];
        int position = queue_view_position(model->service.queue, one->id, &detail);
        if (one->state == RUNNING)
            assert_int_equal(position, 0);
        if (one->state == QUEUED)
            assert_in_range(position, 0, model->count);
    }
}

static int lost_count(const char *lost)
{
    int count = 0;
    for (const char *at = lost; at && (at = strstr(at, "\"attempt\":")); at++)
        count++;
    return count;
}

/* All that is left ends; each once, as the database says. */
static void finish(struct model *model)
{
    static const enum job_state states[] = {[SUCCEEDED] = JOB_SUCCEEDED, [CANCELLED] = JOB_CANCELLED};
    model->listed = listed_now = ALL;
    queue_admin_list_devices(model->service.queue, &(struct device_set){{ALL}});
    select_all(model);
    for (int device = 0; device < DEVICES; device++)
        if (model->held >> device & 1)
            do_hold(model, device);
    for (int device = 0; device < DEVICES; device++)
        do
            do_next(model, device);
        while (model->running[device]);
    for (int i = 0; i < model->count; i++) {
        const struct one *one = &model->ones[i];
        struct job *job = service_get(&model->service, one->id);
        assert_true(one->state >= SUCCEEDED);
        assert_int_equal(job->state, states[one->state]);
        assert_int_equal(job->device, one->device);
        assert_int_equal(lost_count(job->lost), one->lost);
        assert_int_equal(one->ends, 1);
        job_free(job);
    }
}

static void nothing_is_lost_and_nothing_is_twice(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct model *model = calloc(1, sizeof *model);
        model->ones = calloc(MOST, sizeof *model->ones);
        model->seed = seed;
        model->listed = ALL;
        model_of_changes = model;
        service_init(&model->service, NULL);
        model->service.config.devices = DEVICES;
        model->service.config.limit = MOST;
        model->service.config.attempts = 1000;
        model->service.config.select = select_bits;
        model->service.config.changed = on_changed;
        start(model);
        for (int step = 0; step < STEPS; step++) {
            int what = draw(model, 100), device = draw(model, DEVICES);
            if (what < 30)
                do_submit(model);
            else if (what < 70)
                do_next(model, device);
            else if (what < 80)
                do_hand_back(model, device);
            else if (what < 90)
                do_cancel(model);
            else if (what < 95)
                do_list(model);
            else if (what < 98)
                do_hold(model, device);
            else if (what == 99 && step % 4 == 0)
                do_restart(model);
            if (step % 5 == 0)
                look(model);
        }
        finish(model);
        service_end(&model->service);
        free(model->ones);
        free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_and_nothing_is_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

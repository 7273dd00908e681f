#include "server/queue/recovery.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/queue/entry.h"
#include "server/queue/listed_devices.h"
#include "server/queue/schedule.h"
#include "server/queue/transition.h"
#include "server/store/experiment_reads.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"

struct recovery {
    struct queue *queue;
    struct error error; /* the first one; kind ERROR_NONE: none */
};

static int out_of_memory(struct recovery *recovery)
{
    return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
}

/* ---- what becomes of an experiment ---- */

/* May the experiments of that sweep go to different devices? An experiment of no sweep may. 0 or -1. */
static int load_spread(struct recovery *recovery, const char *id, bool *spread)
{
    struct sweep_row row = {0};
    const struct entry_sweep *sweep = id[0] ? entry_sweep_find(recovery->queue, id) : NULL;
    *spread = sweep ? sweep->spread : true;
    if (!id[0] || sweep)
        return 0;
    int status = store_sweep(recovery->queue->store, id, &row, &recovery->error);
    *spread = row.spread;
    sweep_row_clear(&row);
    return status;
}

/* The device for which it waits from now on; -1: it is unbound, as one that was running and does not name its
   device. */
static int device_after(const struct queue *queue, const struct job *job, bool spread)
{
    struct queue_selection selection = {.request = job->request};
    if (job->state == JOB_RUNNING && spread && queue->config.select)
        queue->config.select(queue->config.select_arg, &selection, 1);
    return selection.open ? -1 : job->device;
}

/* It may still run where it was: for a while nothing begins on a device where it could begin again. That
   holds also for a device that is no longer listed, because its kind is not known. */
static void block_devices(struct recovery *recovery, const struct job *job, int device)
{
    struct queue *queue = recovery->queue;
    const struct device_set *outliving = queue->config.outliving;
    bool local = device_set_has(&queue->listed, job->device) && !device_set_has(outliving, job->device);
    if (job->state != JOB_RUNNING || local)
        return;
    for (int i = 0; i < queue->config.devices; i++)
        if (device < 0 || i == device) {
            device_set_add(&queue->outlived, i);
            schedule_update_idle(queue, i);
        }
    queue->outlived_until_ns = clock_monotonic_ns() + (int64_t)(queue->config.outlive_s * 1e9);
}

/* Why it cannot be queued again; ERROR_NONE when it can. */
static struct error failure_of(const struct queue *queue, const struct job *job, int device)
{
    struct error failure = {0};
    if (device >= 0 && !device_set_has(&queue->listed, device))
        error_set(&failure, ERROR_DEVICE_LOST, "device %d is gone: the service has %d", device,
                  device_set_count(&queue->listed));
    else if (job->state == JOB_RUNNING && job->attempt >= queue->config.attempts)
        error_set(&failure, ERROR_ABANDONED, "the service died while it ran, %d times", job->attempt);
    return failure;
}

/* Usage of a run that the end of the server cut short. When it ended is not known: it is charged for its time
   limit, but not for more than the time until now, and the usage has decayed since then. */
static double run_usage_s(const struct queue *queue, const struct job *job)
{
    double since_s = (double)(clock_wall_ms() - job->started_ms) / 1e3;
    double took_s = since_s < job->timeout_s ? since_s : job->timeout_s;
    return took_s > 0 ? device_share_decayed(took_s, since_s - took_s, queue->config.half_life_s) : 0;
}

/* Writes the new state of an experiment that was running, or that cannot be queued again. */
static int write_change(struct recovery *recovery, const struct job *job, int device,
                        const struct error *failure)
{
    struct queue *queue = recovery->queue;
    bool failed = failure->kind != ERROR_NONE, ran = job->state == JOB_RUNNING;
    struct transition *transition = transition_new(queue, &(struct ending){.failure = failure});
    struct store_change *change =
        transition ? transition_add_job(transition, job, failed ? JOB_FAILED : JOB_QUEUED) : NULL;
    if (!change) {
        free(transition);
        return out_of_memory(recovery);
    }
    transition->report = &recovery->error;
    transition->device = change->about.device = device;
    change->moved = device != job->device;
    if (ran)
        transition_lose(transition, change, job->attempt, job->device, "the service ended while it ran");
    if (failed) {
        change->started_ms = job->started_ms;
        change->finished_ms = clock_wall_ms();
        change->failure = &transition->failure;
    }
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = ran ? owner_get(&queue->owners, job->owner) : NULL;
    if (owner)
        transition_charge(transition, owner, run_usage_s(queue, job));
    transition_hand_over(transition);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

/* ---- experiments that wait again ---- */

/* Adds it to its sweep, when it has one. -1: no memory. */
static int join_sweep(struct queue *queue, struct entry *entry, const char *id, bool spread)
{
    if (!id[0])
        return 0;
    struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (!sweep) {
        if (!(sweep = entry_sweep_new(id, spread)))
            return -1;
        entry_sweep_insert(queue, sweep);
    }
    entry_sweep_join(sweep, entry);
    return 0;
}

/* An unbound one waits for no device until devices are selected for it. */
static int enter(struct recovery *recovery, const struct job *job, int device, bool spread)
{
    struct queue *queue = recovery->queue;
    const struct device_set none = {{0}};
    struct entry *entry = entry_new(device, job->priority, job->attempt, job->timeout_s, job->request);
    if (!entry)
        return out_of_memory(recovery);
    memcpy(entry->task.id, job->id, ID_BYTES);
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = owner_get(&queue->owners, job->owner);
    int status = owner ? entry_set_owner(queue, entry, owner, &none) : -1;
    if (status == 0 && join_sweep(queue, entry, job->sweep, spread) < 0) {
        owner_queue_leave(entry->owner_queue);
        status = -1;
    }
    if (status == 0) {
        entry_count(queue, entry, 1);
        entry_insert(queue, entry);
        entry_wait(queue, entry);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status == 0)
        return 0;
    free(entry);
    return out_of_memory(recovery);
}

static int on_job(void *arg, const struct job *job)
{
    struct recovery *recovery = arg;
    bool spread;
    if (load_spread(recovery, job->sweep, &spread) < 0)
        return -1;
    int device = device_after(recovery->queue, job, spread);
    struct error failure = failure_of(recovery->queue, job, device);
    bool failed = failure.kind != ERROR_NONE;
    if (recovery->queue->config.outliving && !failed)
        block_devices(recovery, job, device);
    if ((failed || job->state == JOB_RUNNING) &&
        write_change(recovery, job, failed ? job->device : device, &failure) < 0)
        return -1;
    return failed ? 0 : enter(recovery, job, device, spread);
}

/* ---- usage and holds ---- */

/* The usage is as of `at_ms`; when the wall clock was set back since then, it has not decayed. */
static void on_usage(void *arg, const char *name, double used_s, int64_t at_ms)
{
    struct recovery *recovery = arg;
    struct queue *queue = recovery->queue;
    int64_t age_ms = clock_wall_ms() - at_ms;
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = owner_get(&queue->owners, name);
    if (owner) {
        owner->used_s = device_share_decayed(used_s, (double)age_ms / 1e3, queue->config.half_life_s);
        owner->used_ns = queue_state_now_ns(queue);
        owner->served = ++queue->served;
    } else {
        error_set(&recovery->error, ERROR_MEMORY, "no memory for an owner");
    }
    pthread_mutex_unlock(&queue->lock);
}

static void on_hold(void *arg, int device, const char *owner, int64_t since_ms)
{
    struct queue *queue = ((struct recovery *)arg)->queue;
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return; /* the device is gone, and may come back */
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    hold->held = true;
    if (device >= 0)
        schedule_update_idle(queue, device);
    hold->since_ms = since_ms;
    snprintf(hold->owner, sizeof hold->owner, "%s", owner);
}

int recovery_load(struct queue *queue, struct error *error)
{
    struct recovery recovery = {.queue = queue};
    if (store_shares(queue->store, on_usage, &recovery, error) < 0 ||
        store_holds(queue->store, on_hold, &recovery, error) < 0)
        return -1;
    /* First those that are queued, because what was running becomes queued while the lists are read. */
    static const enum job_state states[] = {JOB_QUEUED, JOB_RUNNING};
    for (size_t i = 0; i < sizeof states / sizeof *states && recovery.error.kind == ERROR_NONE; i++) {
        struct store_filter filter = {
            .state = (int)states[i], .device = -1, .limit = INT_MAX, .within_ms = -1};
        struct error why = {0};
        if (store_list(queue->store, &filter, on_job, &recovery, &why) < 0)
            error_set(&recovery.error, why.kind, "%s", why.text);
        store_flush(queue->store); /* the writes report to `recovery`, which is on this stack */
    }
    if (recovery.error.kind != ERROR_NONE)
        return error_set(error, recovery.error.kind, "cannot take up the queue: %s", recovery.error.text);
    if (device_set_count(&queue->outlived))
        log_info("executors of the service before this one may still run: %d of the devices take nothing for "
                 "%g s",
                 device_set_count(&queue->outlived), queue->config.outlive_s);
    pthread_mutex_lock(&queue->lock);
    listed_devices_select(queue, SELECTION_STRANDED);
    owner_forget(&queue->owners, queue->store, queue_state_now_ns(queue), queue->config.half_life_s);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

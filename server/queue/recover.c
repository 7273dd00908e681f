/* The queue's beginning and end. At the beginning it takes up what the store holds: nothing runs yet, so what
   the store calls running is what an earlier service left when it died. */
#include "server/queue/transition.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/queue/owner_forget.h"
#include "server/queue/listed_devices.h"
#include "server/store/store.h"

enum { CHAINS_LEAST = 64, CHAINS_MOST = 1 << 16, HALF_LIFE_S = 3600 };

/* Changes of state that may wait for the disk: of each device, and in all at least. */
enum { UNSAVED_EACH = 16, UNSAVED_LEAST = 256 };

struct recovery {
    struct queue *queue;
    struct error error;
};

/* May a sweep's experiments go to different devices? What is of none may. 0 or -1. */
static int recovery_spread(struct recovery *recovery, const char *sweep, bool *spread)
{
    struct sweep_row row = {0};
    const struct group *group = sweep[0] ? group_find(recovery->queue, sweep) : NULL;
    int status = 0;
    *spread = group ? group->spread : true;
    if (!sweep[0] || group)
        return 0;
    status = store_sweep(recovery->queue->store, sweep, &row, &recovery->error);
    *spread = row.spread;
    sweep_row_clear(&row);
    return status;
}

/* Where it waits from now on. One that was running and names no device is bound to none again: whether another fits now or
   only later. */
static int recovery_device(const struct queue *queue, const struct job *job, bool spread)
{
    struct queue_selection selection = {.request = job->request};
    if (job->state == JOB_RUNNING && spread && queue->config.select)
        queue->config.select(queue->config.select_arg, &selection, 1);
    return selection.open ? -1 : job->device;
}

/* It may run on where it was, so nothing begins where it could begin again; one of a device that is not in the list any more,
   too, as nobody knows what that was. */
static void recovery_outlive(struct recovery *recovery, const struct job *job, int device)
{
    struct queue *queue = recovery->queue;
    const struct device_set *outliving = queue->config.outliving;
    bool local = device_set_has(&queue->present, job->device) && !device_set_has(outliving, job->device);
    if (job->state != JOB_RUNNING || local)
        return;
    for (int i = 0; i < queue->config.devices; i++)
        if (device < 0 || i == device) {
            device_set_add(&queue->outlived, i);
            queue_note(queue, i);
        }
    queue->outlived_ns = clock_monotonic_ns() + (int64_t)(queue->config.outlive_s * 1e9);
}

/* What the failure says of one that cannot be queued again; ERROR_NONE when it can. */
static void recovery_judge(const struct queue *queue, const struct job *job, int device,
                           struct error *failure)
{
    if (device >= 0 && !device_set_has(&queue->present, device))
        error_set(failure, ERROR_DEVICE_LOST, "device %d is gone: the service has %d", device,
                  device_set_count(&queue->present));
    else if (job->state == JOB_RUNNING && job->attempt >= queue->config.attempts)
        error_set(failure, ERROR_ABANDONED, "the service died while it ran, %d times", job->attempt);
}

/* What a run that the service's end cut short had of its device. When that was nobody knows: no longer than its time limit,
   and no longer than until now; of what lies back further, that much less counts. */
static double recovery_took_s(const struct queue *queue, const struct job *job)
{
    double since_s = (double)(clock_wall_ms() - job->started_ms) / 1e3;
    double took_s = since_s < job->timeout_s ? since_s : job->timeout_s;
    return took_s > 0 ? device_share_decayed(took_s, since_s - took_s, queue->config.half_life_s) : 0;
}

static int recovery_short(struct recovery *recovery)
{
    return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
}

/* Writes down what becomes of one that was running, or cannot be queued again. */
static int recovery_write(struct recovery *recovery, const struct job *job, int device,
                          const struct error *failure)
{
    struct queue *queue = recovery->queue;
    bool failed = failure->kind != ERROR_NONE, ran = job->state == JOB_RUNNING;
    struct transition *transition = transition_new(queue, &(struct ending){.failure = failure});
    if (!transition)
        return recovery_short(recovery);
    struct store_change *change = transition_add_job(transition, job, failed ? JOB_FAILED : JOB_QUEUED);
    if (!change) {
        free(transition);
        return recovery_short(recovery);
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
    struct owner *owner = ran ? queue_owner(queue, job->owner) : NULL;
    if (owner)
        transition_charge(transition, owner, recovery_took_s(queue, job));
    transition_hand_over(transition);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

/* Beside the others of its sweep, when it has one. */
static int recovery_join(struct queue *queue, struct entry *entry, const char *sweep, bool spread)
{
    if (!sweep[0])
        return 0;
    struct group *group = group_find(queue, sweep);
    if (!group) {
        if (!(group = group_new(sweep, spread)))
            return -1;
        group_enter(queue, group);
    }
    group_join(group, entry);
    return 0;
}

/* What is bound to none waits for none until it is selected where. */
static int recovery_enter(struct recovery *recovery, const struct job *job, int device, bool spread)
{
    struct queue *queue = recovery->queue;
    const struct device_set none = {{0}};
    struct entry *entry = entry_new(device, job->priority, job->attempt, job->timeout_s, job->request);
    if (!entry)
        return recovery_short(recovery);
    memcpy(entry->task.id, job->id, ID_BYTES);
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = queue_owner(queue, job->owner);
    int status = owner ? entry_line(queue, entry, owner, &none) : -1;
    if (status == 0 && recovery_join(queue, entry, job->sweep, spread) < 0) {
        owner_queue_leave(entry->owner_queue);
        status = -1;
    }
    if (status == 0) {
        entry_count(queue, entry, 1);
        entry_enter(queue, entry);
        entry_wait(queue, entry);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status == 0)
        return 0;
    free(entry);
    return recovery_short(recovery);
}

static int recovery_take(void *arg, const struct job *job)
{
    struct recovery *recovery = arg;
    struct error failure = {0};
    bool spread;
    if (recovery_spread(recovery, job->sweep, &spread) < 0)
        return -1;
    int device = recovery_device(recovery->queue, job, spread);
    recovery_judge(recovery->queue, job, device, &failure);
    bool failed = failure.kind != ERROR_NONE;
    if (recovery->queue->config.outliving && !failed)
        recovery_outlive(recovery, job, device);
    if ((failed || job->state == JOB_RUNNING) &&
        recovery_write(recovery, job, failed ? job->device : device, &failure) < 0)
        return -1;
    return failed ? 0 : recovery_enter(recovery, job, device, spread);
}

/* Usage is as of then: a wall clock that was set back meanwhile makes it no more. */
static void recovery_charge(void *arg, const char *name, double used_s, int64_t at_ms)
{
    struct recovery *recovery = arg;
    struct queue *queue = recovery->queue;
    int64_t age_ms = clock_wall_ms() - at_ms;
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = queue_owner(queue, name);
    if (owner) {
        owner->used_s = device_share_decayed(used_s, (double)age_ms / 1e3, queue->config.half_life_s);
        owner->used_ns = queue_now_ns(queue);
        owner->served = ++queue->served;
    } else {
        error_set(&recovery->error, ERROR_MEMORY, "no memory for an owner");
    }
    pthread_mutex_unlock(&queue->lock);
}

static void recovery_hold(void *arg, int device, const char *owner, int64_t since_ms)
{
    struct queue *queue = ((struct recovery *)arg)->queue;
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return; /* it is gone, and may come back */
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    hold->held = true;
    if (device >= 0)
        queue_note(queue, device);
    hold->since_ms = since_ms;
    snprintf(hold->owner, sizeof hold->owner, "%s", owner);
}

static int queue_recover(struct queue *queue, struct error *error)
{
    struct recovery recovery = {.queue = queue};
    if (store_shares(queue->store, recovery_charge, &recovery, error) < 0 ||
        store_holds(queue->store, recovery_hold, &recovery, error) < 0)
        return -1;
    /* The queued first: what was running becomes queued while the lists are read. */
    static const enum job_state states[] = {JOB_QUEUED, JOB_RUNNING};
    for (size_t i = 0; i < sizeof states / sizeof *states && recovery.error.kind == ERROR_NONE; i++) {
        struct store_filter filter = {
            .state = (int)states[i], .device = -1, .limit = INT_MAX, .within_ms = -1};
        struct error why = {0};
        if (store_list(queue->store, &filter, recovery_take, &recovery, &why) < 0)
            error_set(&recovery.error, why.kind, "%s", why.text);
        /* Whatever was handed over reports to what lies on this stack. */
        store_flush(queue->store);
    }
    if (device_set_count(&queue->outlived))
        log_info(
            "what ran elsewhere when the service before this one died may run on: %d of the devices take "
            "nothing for %g s",
            device_set_count(&queue->outlived), queue->config.outlive_s);
    if (recovery.error.kind == ERROR_NONE) {
        selection_make(queue, SELECTION_STRANDED);
        pthread_mutex_lock(&queue->lock);
        owners_forget(queue);
        pthread_mutex_unlock(&queue->lock);
        return 0;
    }
    return error_set(error, recovery.error.kind, "cannot take up the queue: %s", recovery.error.text);
}

int queue_open(struct queue **queue_out, struct store *store, const struct queue_config *config,
               struct error *error)
{
    *queue_out = NULL;
    size_t chains = CHAINS_LEAST;
    while (chains < (size_t)config->limit && chains < CHAINS_MOST)
        chains *= 2;
    struct queue *queue = calloc(1, sizeof *queue + (size_t)config->devices * sizeof *queue->devices);
    if (queue)
        queue->chains = calloc(chains, sizeof(struct entry *));
    if (!queue || !queue->chains) {
        free(queue);
        return error_set(error, ERROR_MEMORY, "no memory for the queue");
    }
    queue->config = *config;
    queue->config.present = NULL; /* the caller's */
    if (!(queue->config.half_life_s > 0))
        queue->config.half_life_s = HALF_LIFE_S;
    queue->store = store;
    queue->unsaved_most =
        config->devices * UNSAVED_EACH > UNSAVED_LEAST ? config->devices * UNSAVED_EACH : UNSAVED_LEAST;
    queue->chain_mask = chains - 1;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int status = 0;
    LIST_INIT(&queue->device_groups);
    for (int i = 0; i < config->devices; i++) {
        queue->devices[i].own.devices = device_set_of(i);
        queue->devices[i].readiness = QUEUE_COLD;
        if (!config->present || device_set_has(config->present, i))
            device_set_add(&queue->present, i);
        queue_note(queue, i);
        pthread_cond_init(&queue->devices[i].ready, &attributes);
        queue->devices[i].wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (queue->devices[i].wake_fd < 0)
            status = error_set_errno(error, errno, "cannot make an eventfd");
    }
    pthread_condattr_destroy(&attributes);
    if (status < 0 || queue_recover(queue, error) < 0) {
        queue_close(queue);
        return -1;
    }
    queue->config.outliving = NULL; /* the caller's */
    *queue_out = queue;
    return 0;
}

void queue_close(struct queue *queue)
{
    if (!queue)
        return;
    store_flush(queue->store);
    for (uint64_t i = 0; i <= queue->chain_mask; i++)
        for (struct entry *entry = queue->chains[i], *next; entry; entry = next) {
            next = entry->chain;
            owner_queue_leave(entry->owner_queue);
            free(entry);
        }
    for (struct group *group = queue->groups, *next; group; group = next) {
        next = group->next;
        free(group);
    }
    for (int i = 0; i < queue->config.devices; i++) {
        if (queue->devices[i].wake_fd >= 0)
            close(queue->devices[i].wake_fd);
        pthread_cond_destroy(&queue->devices[i].ready);
    }
    pthread_mutex_destroy(&queue->lock);
    owners_free(&queue->owners);
    free(queue->chains);
    free(queue);
}

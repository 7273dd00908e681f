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
#include "server/store/store.h"

enum { CHAINS_LEAST = 64, CHAINS_MOST = 1 << 16, HALF_LIFE_S = 3600 };

struct recovery {
    struct queue *queue;
    struct error error;
};

/* What the failure says of one that cannot be queued again; ERROR_NONE when it can. */
static void recovery_judge(const struct queue *queue, const struct job *job, struct error *failure)
{
    if (job->device < 0 || job->device >= queue->config.devices)
        error_set(failure, ERROR_DEVICE_LOST, "device %d is gone: the service has %d", job->device,
                  queue->config.devices);
    else if (job->state == JOB_RUNNING && job->attempt >= queue->config.attempts)
        error_set(failure, ERROR_ABANDONED, "the service died while it ran, %d times", job->attempt);
}

/* Beside the others of its sweep, when it has one. */
static int recovery_join(struct queue *queue, struct entry *entry, const char *sweep)
{
    if (!sweep[0])
        return 0;
    struct group *group = group_find(queue, sweep);
    if (!group) {
        if (!(group = group_new(sweep)))
            return -1;
        group_enter(queue, group);
    }
    group_join(group, entry);
    return 0;
}

/* What a run that the service's end cut short had of its device. When that was nobody knows: no longer than its time limit,
   and no longer than until now; of what lies back further, that much less counts. */
static double recovery_took_s(const struct queue *queue, const struct job *job)
{
    double since_s = (double)(clock_wall_ms() - job->started_ms) / 1e3;
    double took_s = since_s < job->timeout_s ? since_s : job->timeout_s;
    return took_s > 0 ? turn_decayed(took_s, since_s - took_s, queue->config.half_life_s) : 0;
}

static int recovery_take(void *arg, const struct job *job)
{
    struct recovery *recovery = arg;
    struct queue *queue = recovery->queue;
    struct error failure = {0};
    recovery_judge(queue, job, &failure);
    if (failure.kind != ERROR_NONE || job->state == JOB_RUNNING) {
        const struct ending ending = {.failure = &failure};
        struct transition *transition = transition_new(queue, &ending);
        if (!transition)
            return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
        transition->report = &recovery->error;
        bool failed = failure.kind != ERROR_NONE;
        struct store_change *change =
            transition_add(transition, job->id, failed ? JOB_FAILED : JOB_QUEUED, job->attempt);
        transition->device = job->device;
        if (failed) {
            change->started_ms = job->started_ms;
            change->finished_ms = clock_wall_ms();
            change->failure = &transition->failure;
        }
        pthread_mutex_lock(&queue->lock);
        struct owner *owner = job->state == JOB_RUNNING ? queue_owner(queue, job->owner) : NULL;
        if (owner)
            transition_charge(transition, owner, recovery_took_s(queue, job));
        transition_hand_over(transition);
        pthread_mutex_unlock(&queue->lock);
        if (failed)
            return 0;
    }
    struct entry *entry = entry_new(job->device, job->priority, job->attempt, job->timeout_s, job->request);
    if (!entry)
        return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
    memcpy(entry->task.id, job->id, ID_BYTES);
    pthread_mutex_lock(&queue->lock);
    entry->owner = queue_owner(queue, job->owner);
    if (!entry->owner || recovery_join(queue, entry, job->sweep) < 0) {
        pthread_mutex_unlock(&queue->lock);
        free(entry);
        return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
    }
    entry_count(queue, entry, 1);
    entry_enter(queue, entry);
    entry_wait(queue, entry);
    pthread_mutex_unlock(&queue->lock);
    return 0;
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
        owner->used_s = turn_decayed(used_s, (double)age_ms / 1e3, queue->config.half_life_s);
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
    if (recovery.error.kind == ERROR_NONE)
        return 0;
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
    if (!(queue->config.half_life_s > 0))
        queue->config.half_life_s = HALF_LIFE_S;
    queue->store = store;
    queue->chain_mask = chains - 1;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int status = 0;
    for (int i = 0; i < config->devices; i++) {
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
    owner_free(queue->owners);
    free(queue->chains);
    free(queue);
}

#include "server/queue/queue_open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "kernels/source/source_kernel.h"
#include "server/queue/entry.h"
#include "server/queue/selection.h"
#include "server/store/experiment_reads.h"
#include "server/store/kernel_rows.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"

enum { CHAINS_MIN = 64, CHAINS_MAX = 1 << 16, HALF_LIFE_S = 3600 };

/* Changes of state that may wait for the disk: for each device, and at least in all. */
enum { UNCOMMITTED_PER_DEVICE = 16, UNCOMMITTED_MIN = 256 };

/* NULL: no memory. */
static struct queue *queue_new(struct store *store, const struct queue_config *config)
{
    size_t chains = CHAINS_MIN;
    while (chains < (size_t)config->limit && chains < CHAINS_MAX)
        chains *= 2;
    struct queue *queue = calloc(1, sizeof *queue + (size_t)config->devices * sizeof *queue->devices);
    if (!queue || !(queue->index = calloc(chains, sizeof *queue->index))) {
        free(queue);
        return NULL;
    }
    queue->index_mask = chains - 1;
    queue->store = store;
    queue->config = *config;
    if (!(queue->config.half_life_s > 0))
        queue->config.half_life_s = HALF_LIFE_S;
    queue->uncommitted_max = config->devices * UNCOMMITTED_PER_DEVICE;
    if (queue->uncommitted_max < UNCOMMITTED_MIN)
        queue->uncommitted_max = UNCOMMITTED_MIN;
    /* queue_view_lock() holds it around several reads. */
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&queue->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    return queue;
}

static int devices_init(struct queue *queue, struct error *error)
{
    const struct device_set *listed = queue->config.listed;
    int status = 0;
    for (int i = 0; i < queue->config.devices; i++) {
        struct device_queue *device = &queue->devices[i];
        device->group.devices = device_set_of(i);
        device->readiness = QUEUE_COLD;
        if (!listed || device_set_has(listed, i))
            device_set_add(&queue->listed, i);
        thread_condition_init(&device->wake);
        device->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (device->wake_fd < 0)
            status = error_set_errno(error, errno, "cannot make an eventfd");
    }
    return status;
}

/* ---- recovery: nothing runs yet, so what the store calls running was left by a server that died ---- */

struct recovery {
    struct queue *queue;
    int64_t last_ms;    /* the latest time at which the server before this one is known to have lived */
    int unlisted;       /* how many wait for a device that is not in the list */
    struct error error; /* the first one; kind ERROR_NONE: none */
};

static int out_of_memory(struct recovery *recovery)
{
    return error_set(&recovery->error, ERROR_MEMORY, "no memory for the queue");
}

static void on_written(void *arg, const struct error *failed)
{
    if (failed)
        error_set(&((struct recovery *)arg)->error, failed->kind, "%s", failed->text);
}

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
        out_of_memory(recovery);
    }
    pthread_mutex_unlock(&queue->lock);
}

static void on_hold(void *arg, int device, const char *owner, int64_t since_ms)
{
    struct queue *queue = ((struct recovery *)arg)->queue;
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return; /* the device is gone, and may come back */
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    *hold = (struct queue_hold){.held = true, .since_ms = since_ms};
    snprintf(hold->owner, sizeof hold->owner, "%s", owner);
}

/* The sweep of that id, which is read with the first of its experiments. NULL: recovery->error says why. */
static struct entry_sweep *sweep_of(struct recovery *recovery, const char *id)
{
    struct queue *queue = recovery->queue;
    struct entry_sweep *sweep = entry_sweep_find(queue, id);
    struct sweep_row row = {0};
    if (sweep || store_sweep(queue->store, id, &row, &recovery->error) < 0)
        return sweep;
    if (!(sweep = entry_sweep_new(id, row.spread)))
        out_of_memory(recovery);
    sweep_row_clear(&row);
    return sweep;
}

/* Why it cannot be queued again; ERROR_NONE when it can. `device`: for which it would wait; -1: unbound. */
static struct error failure_of(const struct queue *queue, const struct job *job, int device)
{
    struct error failure = {0};
    if (device >= queue->config.devices)
        error_set(&failure, ERROR_DEVICE_LOST, "there is no device %d: the service has at most %d", device,
                  queue->config.devices);
    else if (job->state == JOB_RUNNING && job->attempt >= queue->config.attempts)
        error_set(&failure, ERROR_ABANDONED, "the service died while it ran, %d times", job->attempt);
    return failure;
}

/* It may still run where it was: for a while nothing begins on a device where it could begin again. That
   holds also for a device that is no longer listed, because its kind is not known. */
static void block_devices(struct queue *queue, const struct job *job, int device)
{
    const struct device_set *outliving = queue->config.outliving;
    if (!outliving || job->state != JOB_RUNNING ||
        (device_set_has(&queue->listed, job->device) && !device_set_has(outliving, job->device)))
        return;
    for (int i = 0; i < queue->config.devices; i++)
        if (device < 0 || i == device)
            device_set_add(&queue->outlived, i);
    queue->outlived_until_ns = clock_monotonic_ns() + (int64_t)(queue->config.outlive_s * 1e9);
}

/* Writes the end of the run that the end of the server cut short. When it ended is not known, and the server may have
   been down for long since then: it is charged for the time until the last submission, start or end in the store, but
   not for more than its time limit, and the usage has decayed since then. */
static void run_lose(const struct recovery *recovery, struct transition *transition,
                     const struct entry *entry, const struct job *job)
{
    double known_s = (double)(recovery->last_ms - job->started_ms) / 1e3;
    double took_s = known_s < job->timeout_s ? known_s : job->timeout_s;
    double since_s = (double)(clock_wall_ms() - job->started_ms) / 1e3 - took_s;
    double half_life_s = recovery->queue->config.half_life_s;
    int64_t at_ms = recovery->last_ms > job->started_ms ? recovery->last_ms : job->started_ms;
    transition_lose(transition, job->attempt, job->device, at_ms,
                    "the service ended while it ran, at that time or later");
    transition_charge(transition, entry->owner,
                      took_s > 0 ? device_share_decayed(took_s, since_s, half_life_s) : 0);
}

/* Takes an experiment up, with the queue's lock held: it waits again, or fails. `open`: it names no device. An
   unbound one waits for no device until devices are selected for it. */
static int entry_recover(struct recovery *recovery, struct entry *entry, const struct job *job, bool open)
{
    struct queue *queue = recovery->queue;
    const struct device_set none = {{0}};
    struct entry_sweep *sweep = job->sweep[0] ? sweep_of(recovery, job->sweep) : NULL;
    if (job->sweep[0] && !sweep)
        return -1;
    int device = open && (!sweep || sweep->spread) ? -1 : job->device;
    struct error failure = failure_of(queue, job, device);
    bool failed = failure.kind != ERROR_NONE, ran = job->state == JOB_RUNNING;
    struct transition *transition = NULL;
    if (failed || ran)
        transition = transition_new(queue, &(struct ending){.failure = &failure});
    struct owner *owner = owner_get(&queue->owners, job->owner);
    entry->task.device = failed ? -1 : device; /* one that is gone has no queue */
    if ((!transition && (failed || ran)) || !owner || entry_set_owner(queue, entry, owner, &none) < 0) {
        if (sweep && !sweep->count)
            free(sweep);
        free(transition);
        return out_of_memory(recovery);
    }
    memcpy(entry->task.id, job->id, ID_BYTES);
    entry_insert(queue, entry, sweep);
    if (failed) {
        entry->task.device = job->device;
        entry->started_ms = job->started_ms;
        transition_end(transition, entry, JOB_FAILED);
    } else {
        recovery->unlisted += device >= 0 && !device_set_has(&queue->listed, device);
        block_devices(queue, job, device);
        entry_count(queue, entry, 1);
        entry_wait(queue, entry);
    }
    if (ran)
        log_warning("%s ran when the service before this one ended, attempt %d: it %s", job->id, job->attempt,
                    failed ? "is given up" : "waits again");
    if (ran && !failed)
        transition_add(transition, entry, JOB_QUEUED)->moved = device != job->device;
    if (ran)
        run_lose(recovery, transition, entry, job);
    if (transition) {
        transition->done = on_written;
        transition->arg = recovery;
        transition_hand_over(transition);
    }
    return 0;
}

static int on_job(void *arg, const struct job *job)
{
    struct recovery *recovery = arg;
    struct queue *queue = recovery->queue;
    char *whole = NULL; /* of a kernel that a user brings */
    struct error missing = {0};
    if (source_kernel_is_name(job->kernel) &&
        !(whole = store_request_whole(queue->store, job->id, &missing)) &&
        missing.kind != ERROR_NOT_FOUND) /* one that is not there fails when it runs */
        return error_set(&recovery->error, missing.kind, "%s", missing.text);
    struct queue_selection selection = {.request = whole ? whole : job->request};
    struct entry *entry =
        entry_new(job->device, job->priority, job->attempt, job->timeout_s, selection.request);
    if (!entry) {
        free(whole);
        return out_of_memory(recovery);
    }
    /* One that was running and names no device is unbound again. */
    if (job->state == JOB_RUNNING && queue->config.select)
        queue->config.select(queue->config.select_arg, &selection, 1);
    free(whole);
    pthread_mutex_lock(&queue->lock);
    int status = entry_recover(recovery, entry, job, selection.open);
    pthread_mutex_unlock(&queue->lock);
    if (status < 0)
        free(entry);
    return status;
}

static int recover(struct queue *queue, struct error *error)
{
    struct recovery recovery = {.queue = queue};
    if (store_last_ms(queue->store, &recovery.last_ms, error) < 0 ||
        store_shares(queue->store, on_usage, &recovery, error) < 0 ||
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
    if (recovery.unlisted)
        log_warning("%d %s for devices that are not in the list of devices: they run when those are listed "
                    "again, or can "
                    "be cancelled",
                    recovery.unlisted, recovery.unlisted == 1 ? "experiment waits" : "experiments wait");
    if (device_set_count(&queue->outlived))
        log_info("executors of the service before this one may still run: %d of the devices take nothing for "
                 "%g s",
                 device_set_count(&queue->outlived), queue->config.outlive_s);
    pthread_mutex_lock(&queue->lock);
    selection_run(queue, SELECTION_STRANDED);
    owner_forget(&queue->owners, queue->store, queue_state_now_ns(queue), queue->config.half_life_s);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int queue_open(struct queue **out, struct store *store, const struct queue_config *config,
               struct error *error)
{
    *out = NULL;
    struct queue *queue = queue_new(store, config);
    if (!queue)
        return error_set(error, ERROR_MEMORY, "no memory for the queue");
    if (devices_init(queue, error) < 0 || recover(queue, error) < 0) {
        queue_close(queue);
        return -1;
    }
    queue->config.listed = queue->config.outliving = NULL; /* the caller's */
    *out = queue;
    return 0;
}

void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    for (int i = 0; i < queue->config.devices; i++) {
        pthread_cond_broadcast(&queue->devices[i].wake);
        eventfd_write(queue->devices[i].wake_fd, 1);
    }
    pthread_mutex_unlock(&queue->lock);
}

void queue_close(struct queue *queue)
{
    struct entry *entry;
    char sweep_ended[ID_BYTES];
    if (!queue)
        return;
    store_flush(queue->store);
    for (uint64_t i = 0; i <= queue->index_mask; i++)
        while ((entry = LIST_FIRST(&queue->index[i])))
            entry_free(entry, sweep_ended);
    for (int i = 0; i < queue->config.devices; i++) {
        if (queue->devices[i].wake_fd >= 0)
            close(queue->devices[i].wake_fd);
        pthread_cond_destroy(&queue->devices[i].wake);
    }
    pthread_mutex_destroy(&queue->lock);
    owner_free_all(&queue->owners);
    free(queue->index);
    free(queue);
}

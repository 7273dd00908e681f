#include "server/queue/queue_admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "server/metrics/metrics.h"
#include "server/queue/entry.h"
#include "server/queue/listed_devices.h"
#include "server/queue/schedule.h"
#include "server/store/store.h"

/* ---- cancellations ---- */

/* The cancellation of what waits, on its way to the store. */
struct cancel_write {
    struct store_write write;
    struct store_cancel cancel; /* of a sweep */
    struct error failure;
    struct queue *queue;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    int count;
    struct store_cancelled rows[]; /* those that waited */
};

/* What runs ends with its worker. */
static void running_cancel(struct queue *queue, struct entry *entry)
{
    entry->cancelled = true;
    eventfd_write(queue->devices[entry->task.device].wake_fd, 1);
}

/* With the lock held, after the commit: cancels what runs. What was handed back since the request ends
   when it is taken again. */
static void sweep_cancel_rest(struct queue *queue, const struct entry_sweep *sweep)
{
    struct entry *entry;
    LIST_FOREACH (entry, &sweep->entries, of_sweep)
        if (entry->phase == RUNNING)
            running_cancel(queue, entry);
        else
            entry->cancelled = true;
}

static void cancel_done(struct store_write *write, const struct error *failed)
{
    struct cancel_write *cancel = (struct cancel_write *)write;
    struct queue *queue = cancel->queue;
    char sweep_ended[ID_BYTES] = "";
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = write->cancel ? entry_sweep_find(queue, write->cancel->sweep) : NULL;
    if (sweep && !failed)
        sweep_cancel_rest(queue, sweep);
    for (int i = 0; i < cancel->count; i++) {
        struct entry *entry = entry_find(queue, cancel->rows[i].id);
        if (failed) {
            entry_count(queue, entry, 1);
            entry_wait(queue, entry);
        } else {
            entry_free(entry, sweep_ended);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; !failed && i < cancel->count; i++) {
        metrics_count(EVENT_ENDED, cancel->rows[i].about.device, "cancelled", 1);
        transition_notify(queue, cancel->rows[i].id, JOB_CANCELLED);
    }
    transition_notify_sweep(queue, sweep_ended);
    cancel->done(cancel->arg, failed);
    free(cancel);
}

/* For at most `capacity` experiments. NULL: no memory. */
static struct cancel_write *cancel_new(struct queue *queue, int capacity,
                                       void (*done)(void *arg, const struct error *failed), void *arg)
{
    struct cancel_write *cancel = NULL;
    if (!(cancel = calloc(1, sizeof *cancel + (size_t)capacity * sizeof cancel->rows[0])))
        return NULL;
    cancel->write.done = cancel_done;
    cancel->queue = queue;
    cancel->done = done;
    cancel->arg = arg;
    return cancel;
}

/* One that waits is ENDING from here on. False: it did not wait. */
static bool waiting_cancel(struct queue *queue, struct entry *entry, struct cancel_write *cancel)
{
    if (entry->phase != WAITING)
        return false;
    entry_unwait(queue, entry, ENDING);
    struct store_cancelled *row = &cancel->rows[cancel->count++];
    *row = (struct store_cancelled){.attempt = entry->task.attempt, .about = entry_about(entry)};
    memcpy(row->id, entry->task.id, ID_BYTES);
    return true;
}

static void experiment_write(struct cancel_write *cancel, int64_t started_ms)
{
    const struct store_cancelled *row = &cancel->rows[0];
    struct store_change *change = &cancel->write.changes[0];
    error_set(&cancel->failure, ERROR_CANCELLED, "cancelled before it ran");
    *change = (struct store_change){
        .state = JOB_CANCELLED,
        .attempt = row->attempt,
        .started_ms = started_ms,
        .finished_ms = clock_wall_ms(),
        .failure = &cancel->failure,
        .about = row->about,
    };
    memcpy(change->id, row->id, ID_BYTES);
    cancel->write.change_count = 1;
}

int queue_cancel(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                 void *arg, struct error *error)
{
    struct cancel_write *cancel = cancel_new(queue, 1, done, arg);
    if (!cancel)
        return error_set(error, ERROR_MEMORY, "no memory to cancel an experiment");
    int status = 0;
    bool runs = false;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    if (!entry) {
        status = error_set(error, ERROR_NOT_FOUND, "no experiment %.32s is queued or running", id);
    } else if ((runs = entry->phase == RUNNING)) {
        running_cancel(queue, entry);
    } else if (waiting_cancel(queue, entry, cancel)) {
        experiment_write(cancel, entry->started_ms);
        store_hand_over(queue->store, &cancel->write);
        cancel = NULL;
    } else {
        status = error_set(error, ERROR_CONFLICT, "experiment %s has ended", entry->task.id);
    }
    pthread_mutex_unlock(&queue->lock);
    free(cancel);
    if (runs)
        done(arg, NULL);
    return status;
}

/* Returns how many experiments are cancelled, now or (what runs) after the commit. */
static int sweep_cancel(struct queue *queue, const struct entry_sweep *sweep, struct cancel_write *cancel)
{
    struct entry *entry;
    int found = 0;
    LIST_FOREACH (entry, &sweep->entries, of_sweep)
        found += entry->phase == RUNNING || waiting_cancel(queue, entry, cancel);
    return found;
}

static void sweep_write(struct cancel_write *cancel, const struct entry_sweep *sweep)
{
    error_set(&cancel->failure, ERROR_CANCELLED, "cancelled with its sweep before it ran");
    cancel->cancel = (struct store_cancel){
        .finished_ms = clock_wall_ms(),
        .failure = &cancel->failure,
        .experiments = cancel->rows,
        .count = cancel->count,
    };
    memcpy(cancel->cancel.sweep, sweep->id, ID_BYTES);
    cancel->write.cancel = &cancel->cancel;
}

int queue_cancel_sweep(struct queue *queue, const char *id,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    int status = 0;
    struct cancel_write *cancel = NULL;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (!sweep) {
        status = error_set(error, ERROR_NOT_FOUND, "nothing of sweep %.32s is queued or runs", id);
    } else if (!(cancel = cancel_new(queue, sweep->count, done, arg))) {
        status = error_set(error, ERROR_MEMORY, "no memory to cancel a sweep");
    } else if (!sweep_cancel(queue, sweep, cancel)) {
        status = error_set(error, ERROR_CONFLICT, "sweep %s has ended", sweep->id);
    } else {
        sweep_write(cancel, sweep);
        store_hand_over(queue->store, &cancel->write);
        cancel = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(cancel);
    return status;
}

/* ---- holds: on disk before they are answered, so that they survive a restart ---- */

struct hold_write {
    struct store_write write;
    struct store_hold store_hold;
    struct queue *queue;
    struct queue_hold hold;
    bool *changed;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
};

static void hold_done(struct store_write *write, const struct error *failed)
{
    struct hold_write *holding = (struct hold_write *)write;
    struct queue *queue = holding->queue;
    int device = holding->store_hold.device;
    pthread_mutex_lock(&queue->lock);
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    bool changed = !failed && hold->held != holding->hold.held;
    if (changed)
        *hold = holding->hold;
    if (device >= 0)
        schedule_update_idle(queue, device);
    for (int i = 0; i < queue->config.devices; i++)
        pthread_cond_signal(&queue->devices[i].wake);
    pthread_mutex_unlock(&queue->lock);
    if (holding->changed)
        *holding->changed = changed;
    holding->done(holding->arg, failed);
    free(holding);
}

int queue_admin_hold(struct queue *queue, int device, bool held, const char *owner, bool *changed,
                     void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return error_set(error, ERROR_INVALID, "there is no device %d", device);
    struct hold_write *holding = calloc(1, sizeof *holding);
    if (!holding)
        return error_set(error, ERROR_MEMORY, "no memory to hold a device");
    struct queue_hold *hold = &holding->hold;
    if (held)
        *hold = (struct queue_hold){.held = true, .since_ms = clock_wall_ms()};
    snprintf(hold->owner, sizeof hold->owner, "%s", held ? owner : "");
    holding->store_hold = (struct store_hold){device, held, hold->owner, hold->since_ms};
    holding->write.hold = &holding->store_hold;
    holding->write.done = hold_done;
    holding->queue = queue;
    holding->changed = changed;
    holding->done = done;
    holding->arg = arg;
    store_hand_over(queue->store, &holding->write);
    return 0;
}

/* ---- devices that come and leave ---- */

void queue_admin_list_devices(struct queue *queue, const struct device_set *listed)
{
    pthread_mutex_lock(&queue->lock);
    if (listed_devices_set(queue, listed) && queue->config.select)
        listed_devices_select(queue, SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

void queue_admin_reset_device(struct queue *queue, int device)
{
    struct owner *owner;
    pthread_mutex_lock(&queue->lock);
    queue->devices[device].run_mean = (struct run_mean){0};
    LIST_FOREACH (owner, &queue->owners.all, next)
        if (owner_at_device(owner, device))
            owner_at_device(owner, device)->run_mean = (struct run_mean){0};
    pthread_mutex_unlock(&queue->lock);
}

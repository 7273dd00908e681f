#include "server/queue/queue_admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "server/metrics/metrics.h"
#include "server/queue/entry.h"
#include "server/queue/selection.h"
#include "server/store/store.h"

/* ---- cancellations ---- */

/* The cancellation of what waits of a sweep, on its way to the store. */
struct cancel_write {
    struct store_write write;
    struct store_cancel cancel;
    struct error failure;
    char by[USER_NAME_BYTES];
    struct queue *queue;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    struct store_cancelled rows[];
};

/* Who was first stays. Without memory nobody is named. */
static void entry_cancel(struct entry *entry, const char *by)
{
    if (!entry->cancelled && *by)
        entry->cancelled_by = strdup(by);
    entry->cancelled = true;
}

/* What runs ends with its worker. */
static void running_cancel(struct queue *queue, struct entry *entry, const char *by)
{
    entry_cancel(entry, by);
    eventfd_write(queue->devices[entry->task.device].wake_fd, 1);
}

/* With the lock held, after the commit: cancels what runs. What was handed back since the request ends
   when it is taken again. */
static void sweep_cancel_rest(struct queue *queue, const struct entry_sweep *sweep, const char *by)
{
    struct entry *entry;
    LIST_FOREACH (entry, &sweep->entries, of_sweep)
        if (entry->phase == RUNNING)
            running_cancel(queue, entry, by);
        else
            entry_cancel(entry, by);
}

static void cancel_done(struct store_write *write, const struct error *failed)
{
    struct cancel_write *cancel = (struct cancel_write *)write;
    struct queue *queue = cancel->queue;
    char sweep_ended[ID_BYTES] = "";
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, cancel->cancel.sweep);
    if (sweep && !failed)
        sweep_cancel_rest(queue, sweep, cancel->by);
    for (int i = 0; i < cancel->cancel.count; i++) {
        struct entry *entry = entry_find(queue, cancel->rows[i].id);
        if (failed) {
            entry_count(queue, entry, 1);
            entry_wait(queue, entry);
        } else {
            entry_free(entry, sweep_ended);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; !failed && i < cancel->cancel.count; i++) {
        metrics_count(EVENT_ENDED, cancel->rows[i].about.device, "cancelled", 1);
        transition_notify(queue, cancel->rows[i].id, JOB_CANCELLED);
    }
    transition_notify(queue, sweep_ended, JOB_STATES);
    cancel->done(cancel->arg, failed);
    free(cancel);
}

int queue_cancel(struct queue *queue, const char *id, const char *by,
                 void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    struct transition *transition = transition_new(queue, NULL);
    if (!transition)
        return error_set(error, ERROR_MEMORY, "no memory to cancel an experiment");
    int status = 0;
    bool runs = false;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    if (!entry) {
        status = error_set(error, ERROR_NOT_FOUND, "no experiment %.32s is queued or running", id);
    } else if (entry->phase == ENDING) {
        status = error_set(error, ERROR_CONFLICT, "experiment %s has ended", entry->task.id);
    } else if ((runs = entry->phase == RUNNING)) {
        running_cancel(queue, entry, by);
    } else {
        entry_unwait(queue, entry, ENDING);
        if (*by)
            error_set(&transition->failure, ERROR_CANCELLED, "cancelled by %s before it ran", by);
        else
            error_set(&transition->failure, ERROR_CANCELLED, "cancelled before it ran");
        transition_end(transition, entry, JOB_CANCELLED);
        transition->done = done;
        transition->arg = arg;
        transition_hand_over(transition);
        transition = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(transition);
    if (runs)
        done(arg, NULL);
    return status;
}

/* Takes out what waits. Returns how many experiments are cancelled, now or (what runs) after the commit. */
static int sweep_cancel(struct queue *queue, const struct entry_sweep *sweep, struct cancel_write *cancel)
{
    struct entry *entry;
    int running = 0;
    LIST_FOREACH (entry, &sweep->entries, of_sweep) {
        running += entry->phase == RUNNING;
        if (entry->phase != WAITING)
            continue;
        struct store_cancelled *row = &cancel->rows[cancel->cancel.count++];
        entry_unwait(queue, entry, ENDING);
        *row = (struct store_cancelled){.attempt = entry->task.attempt, .about = entry_about(entry)};
        memcpy(row->id, entry->task.id, ID_BYTES);
    }
    return running + cancel->cancel.count;
}

int queue_cancel_sweep(struct queue *queue, const char *id, const char *by,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    int status = 0;
    struct cancel_write *cancel = NULL;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (!sweep) {
        status = error_set(error, ERROR_NOT_FOUND, "nothing of sweep %.32s is queued or runs", id);
    } else if (!(cancel =
                     calloc(1, sizeof *cancel + (size_t)sweep->count * sizeof(struct store_cancelled)))) {
        status = error_set(error, ERROR_MEMORY, "no memory to cancel a sweep");
    } else if (!sweep_cancel(queue, sweep, cancel)) {
        status = error_set(error, ERROR_CONFLICT, "sweep %s has ended", sweep->id);
    } else {
        if (*by)
            error_set(&cancel->failure, ERROR_CANCELLED, "cancelled by %s with its sweep before it ran", by);
        else
            error_set(&cancel->failure, ERROR_CANCELLED, "cancelled with its sweep before it ran");
        snprintf(cancel->by, sizeof cancel->by, "%s", by);
        memcpy(cancel->cancel.sweep, sweep->id, ID_BYTES);
        cancel->cancel.finished_ms = clock_wall_ms();
        cancel->cancel.failure = &cancel->failure;
        cancel->cancel.experiments = cancel->rows;
        cancel->write = (struct store_write){.cancel = &cancel->cancel, .done = cancel_done};
        cancel->queue = queue;
        cancel->done = done;
        cancel->arg = arg;
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

void queue_admin_list_devices(struct queue *queue, const struct device_set *listed)
{
    bool changed = false;
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < queue->config.devices; i++) {
        bool is = device_set_has(listed, i), was = device_set_has(&queue->listed, i);
        changed |= is != was;
        queue->devices[i].known &= was;
        (is ? device_set_add : device_set_remove)(&queue->listed, i);
        pthread_cond_signal(&queue->devices[i].wake);
    }
    if (changed && queue->config.select)
        selection_run(queue, SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

void queue_admin_reset_device(struct queue *queue, int device)
{
    struct owner *owner;
    struct owner_device *at;
    pthread_mutex_lock(&queue->lock);
    queue->devices[device].run_mean = (struct run_mean){0};
    LIST_FOREACH (owner, &queue->owners.all, next)
        SLIST_FOREACH (at, &owner->devices, next)
            if (at->device == device)
                at->run_mean = (struct run_mean){0};
    pthread_mutex_unlock(&queue->lock);
}

void queue_admin_get_hold(struct queue *queue, int device, struct queue_hold *hold)
{
    pthread_mutex_lock(&queue->lock);
    *hold = device == QUEUE_ALL_DEVICES ? queue->hold : queue->devices[device].hold;
    pthread_mutex_unlock(&queue->lock);
}

#include "server/queue/queue_cancel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "server/metrics/metrics.h"
#include "server/queue/entry.h"
#include "server/queue/transition.h"
#include "server/store/store.h"

/* The cancellation of what waits, on its way to the store. */
struct cancel_write {
    struct store_write write;
    struct store_cancel cancel; /* of a sweep */
    struct error failure;
    struct queue *queue;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    int count;
    struct entry **entries;        /* those that waited; behind the rows */
    struct store_cancelled rows[]; /* theirs; used for a sweep */
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
    bool sweep_ended = false;
    char sweep_id[ID_BYTES];
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = write->cancel ? entry_sweep_find(queue, write->cancel->sweep) : NULL;
    if (sweep && !failed)
        sweep_cancel_rest(queue, sweep);
    for (int i = 0; i < cancel->count; i++) {
        struct entry *entry = cancel->entries[i];
        if (failed) {
            entry_count(queue, entry, 1);
            entry_wait(queue, entry);
        } else {
            sweep_ended |= entry_leave(entry, sweep_id);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; !failed && i < cancel->count; i++) {
        metrics_count(EVENT_ENDED, cancel->entries[i]->task.device, "cancelled", 1);
        transition_notify(queue, cancel->entries[i]->task.id, JOB_CANCELLED);
        free(cancel->entries[i]);
    }
    if (sweep_ended)
        transition_notify_sweep(queue, sweep_id);
    cancel->done(cancel->arg, failed);
    free(cancel);
}

/* For at most `capacity` entries. NULL: no memory. */
static struct cancel_write *cancel_new(struct queue *queue, int capacity,
                                       void (*done)(void *arg, const struct error *failed), void *arg)
{
    struct cancel_write *cancel = NULL;
    size_t each = sizeof cancel->rows[0] + sizeof cancel->entries[0];
    if (!(cancel = calloc(1, sizeof *cancel + (size_t)capacity * each)))
        return NULL;
    cancel->entries = (struct entry **)&cancel->rows[capacity];
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
    cancel->entries[cancel->count++] = entry;
    return true;
}

static void experiment_write(struct cancel_write *cancel)
{
    struct store_change *change = &cancel->write.changes[0];
    const struct entry *entry = cancel->entries[0];
    error_set(&cancel->failure, ERROR_CANCELLED, "cancelled before it ran");
    *change = (struct store_change){
        .state = JOB_CANCELLED,
        .attempt = entry->task.attempt,
        .started_ms = entry->started_ms,
        .finished_ms = clock_wall_ms(),
        .failure = &cancel->failure,
        .about = transition_about(entry),
    };
    memcpy(change->id, entry->task.id, ID_BYTES);
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
        experiment_write(cancel);
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
    for (int i = 0; i < cancel->count; i++) {
        const struct entry *entry = cancel->entries[i];
        struct store_cancelled *row = &cancel->rows[i];
        *row = (struct store_cancelled){.attempt = entry->task.attempt, .about = transition_about(entry)};
        memcpy(row->id, entry->task.id, ID_BYTES);
    }
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

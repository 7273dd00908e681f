/* Cancellation, of one experiment or of all of a sweep that has not ended: what waits ends in one write, what runs is
   told to and ends with its worker. */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "server/metrics/metrics.h"
#include "server/queue/transition.h"
#include "server/store/store.h"

struct cancellation {
    struct store_write write;
    struct store_cancel cancel; /* of a sweep */
    struct error failure;
    struct queue *queue;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    int count;
    struct store_cancelled *told; /* of a sweep: as many */
    struct entry *entries[];      /* that were queued */
};

/* With the lock held. */
static void entry_stop(struct queue *queue, struct entry *entry)
{
    entry->cancelled = true;
    eventfd_write(queue->devices[entry->task.device].wake_fd, 1);
}

/* With the lock held, after the commit: what runs is told to end, and what was handed back since the request ends when it is
   taken again. */
static void group_stop(struct queue *queue, const struct group *group)
{
    for (struct entry *entry = group->entries; entry; entry = entry->group_next)
        if (entry->phase == RUNNING)
            entry_stop(queue, entry);
        else
            entry->cancelled = true;
}

static void cancellation_done(struct store_write *write, const struct error *failed)
{
    struct cancellation *cancellation = (struct cancellation *)write;
    struct queue *queue = cancellation->queue;
    bool sweep_ended = false;
    char sweep[ID_BYTES];
    pthread_mutex_lock(&queue->lock);
    const struct group *group = write->cancel ? group_find(queue, write->cancel->sweep) : NULL;
    if (group && !failed)
        group_stop(queue, group);
    for (int i = 0; i < cancellation->count; i++) {
        struct entry *entry = cancellation->entries[i];
        if (failed) { /* whoever asked hears that it was not cancelled */
            entry_count(queue, entry, 1);
            entry_wait(queue, entry);
        } else {
            sweep_ended |= entry_leave(queue, entry, sweep);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; !failed && i < cancellation->count; i++) {
        metrics_count(EVENT_ENDED, cancellation->entries[i]->task.device, "cancelled", 1);
        transition_tell(queue, cancellation->entries[i]->task.id, JOB_CANCELLED);
        free(cancellation->entries[i]);
    }
    if (sweep_ended)
        transition_tell_sweep(queue, sweep);
    cancellation->done(cancellation->arg, failed);
    free(cancellation->told);
    free(cancellation);
}

/* For up to so many. NULL: no memory. */
static struct cancellation *cancellation_new(struct queue *queue, int room,
                                             void (*done)(void *arg, const struct error *failed), void *arg)
{
    struct cancellation *cancellation =
        calloc(1, sizeof *cancellation + (size_t)room * sizeof(struct entry *));
    if (!cancellation)
        return NULL;
    cancellation->write.done = cancellation_done;
    cancellation->queue = queue;
    cancellation->done = done;
    cancellation->arg = arg;
    return cancellation;
}

/* With the lock held: one that waits is ending from here, one that runs is told to. False: it is ending already. */
static bool entry_cancel(struct queue *queue, struct entry *entry, struct cancellation *cancellation)
{
    if (entry->phase == RUNNING) {
        entry_stop(queue, entry);
    } else if (entry->phase == WAITING) {
        entry_unwait(queue, entry, ENDING);
        cancellation->entries[cancellation->count++] = entry;
    } else {
        return false;
    }
    return true;
}

static void experiment_write(struct cancellation *cancellation)
{
    struct store_change *change = &cancellation->write.changes[0];
    const struct entry *entry = cancellation->entries[0];
    error_set(&cancellation->failure, ERROR_CANCELLED, "cancelled before it ran");
    *change = (struct store_change){
        .state = JOB_CANCELLED,
        .attempt = entry->task.attempt,
        .started_ms = entry->started_ms,
        .finished_ms = clock_wall_ms(),
        .failure = &cancellation->failure,
        .about = transition_about(entry),
    };
    memcpy(change->id, entry->task.id, ID_BYTES);
    cancellation->write.change_count = 1;
}

int queue_cancel(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                 void *arg, struct error *error)
{
    struct cancellation *cancellation = cancellation_new(queue, 1, done, arg);
    if (!cancellation)
        return error_set(error, ERROR_MEMORY, "no memory to cancel an experiment");
    int status = 0;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    if (!entry)
        status = error_set(error, ERROR_NOT_FOUND, "no experiment %.32s is queued or running", id);
    else if (!entry_cancel(queue, entry, cancellation))
        status = error_set(error, ERROR_CONFLICT, "experiment %s has ended", entry->task.id);
    bool queued = cancellation->count > 0;
    if (queued) {
        experiment_write(cancellation);
        store_hand_over(queue->store, &cancellation->write);
    }
    pthread_mutex_unlock(&queue->lock);
    if (queued)
        return 0;
    free(cancellation);
    if (status == 0)
        done(arg, NULL); /* it runs, and its end follows */
    return status;
}

/* What runs is told after the commit: until then nothing is done. */
static int group_cancel(struct queue *queue, const struct group *group, struct cancellation *cancellation)
{
    int found = 0;
    for (struct entry *entry = group->entries; entry; entry = entry->group_next)
        found += entry->phase == RUNNING || entry_cancel(queue, entry, cancellation);
    return found;
}

/* With the lock held, before anything is cancelled. NULL: no memory. */
static struct cancellation *cancellation_of_group(struct queue *queue, const struct group *group,
                                                  void (*done)(void *arg, const struct error *failed),
                                                  void *arg)
{
    struct cancellation *cancellation = cancellation_new(queue, group->left, done, arg);
    if (cancellation && (cancellation->told = calloc((size_t)group->left, sizeof *cancellation->told)))
        return cancellation;
    free(cancellation);
    return NULL;
}

static void group_write(struct cancellation *cancellation, const struct group *group)
{
    struct store_cancel *cancel = &cancellation->cancel;
    for (int i = 0; i < cancellation->count; i++) {
        const struct entry *entry = cancellation->entries[i];
        struct store_cancelled *told = &cancellation->told[i];
        *told = (struct store_cancelled){.attempt = entry->task.attempt, .about = transition_about(entry)};
        memcpy(told->id, entry->task.id, ID_BYTES);
    }
    error_set(&cancellation->failure, ERROR_CANCELLED, "cancelled with its sweep before it ran");
    memcpy(cancel->sweep, group->id, ID_BYTES);
    cancel->finished_ms = clock_wall_ms();
    cancel->failure = &cancellation->failure;
    cancel->experiments = cancellation->told;
    cancel->count = cancellation->count;
    cancellation->write.cancel = cancel;
}

int queue_cancel_sweep(struct queue *queue, const char *id,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    int status = 0;
    struct cancellation *cancellation = NULL;
    pthread_mutex_lock(&queue->lock);
    struct group *group = group_find(queue, id);
    if (group)
        cancellation = cancellation_of_group(queue, group, done, arg);
    if (!group) {
        status = error_set(error, ERROR_NOT_FOUND, "nothing of sweep %.32s is queued or runs", id);
    } else if (!cancellation) {
        status = error_set(error, ERROR_MEMORY, "no memory to cancel a sweep");
    } else if (!group_cancel(queue, group, cancellation)) {
        status = error_set(error, ERROR_CONFLICT, "sweep %s has ended", group->id);
    } else {
        group_write(cancellation, group);
        store_hand_over(queue->store, &cancellation->write);
        cancellation = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    if (cancellation)
        free(cancellation->told);
    free(cancellation);
    return status;
}

/* Sweeps: many experiments that are submitted in one transaction and can be cancelled in one. Apart from that each
   is an experiment as any other; what they have in common is a batch, which lists those that have not ended. */
#include "server/queue/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "api/sweep.h"
#include "base/clock.h"

/* ---- batches ---- */

struct batch *batch_find(struct queue *queue, const char *id)
{
    struct batch *batch = queue->batches;
    while (batch && strcmp(batch->id, id) != 0)
        batch = batch->next;
    return batch;
}

struct batch *batch_new(const char *id)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (batch)
        memcpy(batch->id, id, ID_BYTES);
    return batch;
}

void batch_enter(struct queue *queue, struct batch *batch)
{
    batch->next = queue->batches;
    if (batch->next)
        batch->next->previous = batch;
    queue->batches = batch;
}

static void batch_end(struct queue *queue, struct batch *batch)
{
    if (batch->previous)
        batch->previous->next = batch->next;
    else
        queue->batches = batch->next;
    if (batch->next)
        batch->next->previous = batch->previous;
    free(batch);
}

void batch_join(struct batch *batch, struct entry *entry)
{
    entry->batch = batch;
    entry->batch_next = batch->entries;
    if (entry->batch_next)
        entry->batch_next->batch_previous = entry;
    batch->entries = entry;
    batch->left++;
}

bool batch_part(struct queue *queue, struct entry *entry)
{
    struct batch *batch = entry->batch;
    if (entry->batch_previous)
        entry->batch_previous->batch_next = entry->batch_next;
    else
        batch->entries = entry->batch_next;
    if (entry->batch_next)
        entry->batch_next->batch_previous = entry->batch_previous;
    entry->batch = NULL;
    if (--batch->left)
        return false;
    batch_end(queue, batch);
    return true;
}

/* ---- submitting ---- */

struct sweep_arrival {
    struct store_write write;
    struct store_sweep insert;
    struct queue *queue;
    struct batch *batch;
    struct entry **entries; /* of the sweep's runs */
    char (*ids)[ID_BYTES];  /* theirs, when the entries may have ended already */
    int count;
    void (*done)(void *arg, const struct submitted *);
    void *arg;
};

/* `whole`: with what was to be queued. */
static void arrival_free(struct sweep_arrival *arrival, bool whole)
{
    for (int i = 0; whole && arrival->entries && i < arrival->count; i++)
        free(arrival->entries[i]);
    if (whole)
        free(arrival->batch);
    free(arrival->entries);
    free(arrival->ids);
    free(arrival);
}

/* With the lock held. */
static void arrival_enter(struct sweep_arrival *arrival)
{
    struct queue *queue = arrival->queue;
    if (arrival->count)
        batch_enter(queue, arrival->batch);
    for (int i = 0; i < arrival->count; i++) {
        batch_join(arrival->batch, arrival->entries[i]);
        entry_enter(queue, arrival->entries[i]);
        entry_wait(queue, arrival->entries[i]);
    }
}

static void arrival_done(struct store_write *write, const struct error *failed)
{
    struct sweep_arrival *arrival = (struct sweep_arrival *)write;
    struct queue *queue = arrival->queue;
    struct submitted submitted = {.outcome = SUBMITTED_FAILED};
    if (failed)
        submitted.error = *failed;
    else
        submitted.outcome = write->outcome == WRITE_NEW     ? SUBMITTED_NEW
                            : write->outcome == WRITE_AGAIN ? SUBMITTED_AGAIN
                                                            : SUBMITTED_MISMATCH;
    bool is_new = submitted.outcome == SUBMITTED_NEW;
    memcpy(submitted.id, is_new ? arrival->batch->id : write->known_id, ID_BYTES);

    pthread_mutex_lock(&queue->lock);
    if (is_new)
        arrival_enter(arrival);
    else
        queue->queued -= arrival->count;
    pthread_mutex_unlock(&queue->lock);
    arrival->done(arrival->arg, &submitted);
    for (int i = 0; is_new && i < arrival->count; i++)
        queue_changed(queue, arrival->ids[i], JOB_QUEUED);
    arrival_free(arrival, !is_new || !arrival->count);
}

/* NULL: no memory, or a run for a device that is not there. */
static struct sweep_arrival *arrival_new(struct queue *queue, const struct sweep_submission *submission)
{
    const struct sweep *sweep = submission->sweep;
    struct sweep_arrival *arrival = calloc(1, sizeof *arrival);
    if (!arrival)
        return NULL;
    size_t room = (size_t)sweep->run_count + 1;
    arrival->queue = queue;
    arrival->entries = calloc(room, sizeof(struct entry *));
    arrival->ids = calloc(room, sizeof *arrival->ids);
    arrival->batch = batch_new((char[ID_BYTES]){0});
    bool failed = !arrival->entries || !arrival->ids || !arrival->batch;
    for (; !failed && arrival->count < sweep->run_count; arrival->count++) {
        const struct sweep_run *run = &sweep->runs[arrival->count];
        struct entry *entry = entry_new(run->device, run->priority, 0, run->timeout_s, run->request);
        arrival->entries[arrival->count] = entry;
        failed = !entry;
    }
    if (failed) {
        arrival_free(arrival, true);
        return NULL;
    }
    arrival->insert = (struct store_sweep){
        .id = arrival->batch->id,
        .request = submission->request,
        .recipe = submission->recipe,
        .sweep = sweep,
        .run_ids = (const char(*)[ID_BYTES])arrival->ids,
        .key = submission->idempotency_key,
        .fingerprint = submission->fingerprint ? submission->fingerprint : "",
    };
    arrival->write.sweep = &arrival->insert;
    arrival->write.done = arrival_done;
    return arrival;
}

/* With the lock held. */
static void arrival_send(struct sweep_arrival *arrival, bool full)
{
    struct queue *queue = arrival->queue;
    id_next(arrival->batch->id);
    for (int i = 0; i < arrival->count; i++) {
        id_next(arrival->ids[i]);
        memcpy(arrival->entries[i]->task.id, arrival->ids[i], ID_BYTES);
    }
    arrival->insert.submitted_ms = clock_wall_ms();
    arrival->insert.known_only = full;
    queue->queued += arrival->count;
    store_hand_over(queue->store, &arrival->write);
}

int queue_submit_sweep(struct queue *queue, const struct sweep_submission *submission,
                       void (*done)(void *arg, const struct submitted *), void *arg, struct error *error)
{
    const struct sweep *sweep = submission->sweep;
    for (int i = 0; i < sweep->run_count; i++)
        if (sweep->runs[i].device < 0 || sweep->runs[i].device >= queue->config.devices)
            return error_set(error, ERROR_INVALID, "there is no device %d", sweep->runs[i].device);
    int limit = queue->config.limit;
    if (sweep->run_count > limit)
        return error_set(error, ERROR_INVALID,
                         "the sweep has %d experiments, and no more than %d may ever wait", sweep->run_count,
                         limit);
    struct sweep_arrival *arrival = arrival_new(queue, submission);
    if (!arrival)
        return error_set(error, ERROR_MEMORY, "no memory for a sweep");
    arrival->done = done;
    arrival->arg = arg;
    int status = 0;
    pthread_mutex_lock(&queue->lock);
    bool full = queue->queued > limit - sweep->run_count;
    if (queue->stopping)
        status = error_set(error, ERROR_UNAVAILABLE, "the service is stopping");
    else if (full && !submission->idempotency_key)
        status = error_set(error, ERROR_FULL,
                           "the queue has no room for the %d experiments of this sweep: %d wait and %d may",
                           sweep->run_count, queue->queued, limit);
    else
        arrival_send(arrival, full);
    pthread_mutex_unlock(&queue->lock);
    if (status < 0)
        arrival_free(arrival, true);
    return status;
}

/* ---- cancelling ---- */

struct cancellation {
    struct store_write write;
    struct store_cancel cancel;
    struct error failure;
    struct queue *queue;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    int count;
    struct entry *entries[]; /* that were queued */
};

static void cancellation_done(struct store_write *write, const struct error *failed)
{
    struct cancellation *cancellation = (struct cancellation *)write;
    struct queue *queue = cancellation->queue;
    bool swept = false;
    char over[ID_BYTES];
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < cancellation->count; i++) {
        struct entry *entry = cancellation->entries[i];
        if (failed) {
            queue->queued++;
            entry_wait(queue, entry);
        } else {
            swept |= entry_leave(queue, entry, over);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; !failed && i < cancellation->count; i++) {
        queue_changed(queue, cancellation->entries[i]->task.id, JOB_CANCELLED);
        free(cancellation->entries[i]);
    }
    if (swept)
        queue_swept(queue, over);
    cancellation->done(cancellation->arg, failed);
    free(cancellation);
}

/* With the lock held: what of the batch is queued is ending from here, what runs is told to. How many both are. */
static int batch_cancel(struct queue *queue, struct batch *batch, struct cancellation *cancellation)
{
    int found = 0;
    for (struct entry *entry = batch->entries; entry; entry = entry->batch_next) {
        found += entry->phase != ENDING;
        if (entry->phase == RUNNING) {
            entry->cancelled = true;
            eventfd_write(queue->devices[entry->task.device].wake_fd, 1);
        } else if (entry->phase == WAITING) {
            entry_unwait(queue, entry, ENDING);
            cancellation->entries[cancellation->count++] = entry;
        }
    }
    return found;
}

int queue_cancel_sweep(struct queue *queue, const char *id,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    int status = 0;
    struct cancellation *cancellation = NULL;
    pthread_mutex_lock(&queue->lock);
    struct batch *batch = batch_find(queue, id);
    if (batch)
        cancellation = calloc(1, sizeof *cancellation + (size_t)batch->left * sizeof(struct entry *));
    if (!batch) {
        status = error_set(error, ERROR_NOT_FOUND, "nothing of sweep %.32s is queued or runs", id);
    } else if (!cancellation) {
        status = error_set(error, ERROR_MEMORY, "no memory to cancel a sweep");
    } else if (!batch_cancel(queue, batch, cancellation)) {
        status = error_set(error, ERROR_CONFLICT, "sweep %s has ended", batch->id);
    } else {
        error_set(&cancellation->failure, ERROR_CANCELLED, "cancelled with its sweep before it ran");
        memcpy(cancellation->cancel.sweep, batch->id, ID_BYTES);
        cancellation->cancel.finished_ms = clock_wall_ms();
        cancellation->cancel.failure = &cancellation->failure;
        cancellation->write.cancel = &cancellation->cancel;
        cancellation->write.done = cancellation_done;
        cancellation->queue = queue;
        cancellation->done = done;
        cancellation->arg = arg;
        store_hand_over(queue->store, &cancellation->write);
        cancellation = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(cancellation);
    return status;
}

/* ---- asking ---- */

double queue_sweep_eta(struct queue *queue, const char *id)
{
    double eta_s = -1;
    pthread_mutex_lock(&queue->lock);
    struct batch *batch = batch_find(queue, id);
    for (int i = 0; batch && i < queue->config.devices; i++) {
        const struct entry *last = NULL;
        for (const struct entry *entry = batch->entries; entry; entry = entry->batch_next)
            if (entry->task.device == i && entry->phase != ENDING &&
                (!last || last->phase == RUNNING ||
                 (entry->phase == WAITING && order_before(&last->order, &entry->order))))
                last = entry;
        double ahead_s, mean_s = device_mean_s(&queue->devices[i]);
        if (!last)
            continue;
        entry_place(queue, last, &ahead_s);
        if (mean_s < 0 || ahead_s < 0) {
            eta_s = -1;
            break;
        }
        eta_s = ahead_s + mean_s > eta_s ? ahead_s + mean_s : eta_s;
    }
    pthread_mutex_unlock(&queue->lock);
    return eta_s;
}

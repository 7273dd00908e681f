/* What waits is twice in memory: in its device's order (queue_order.h) and in an index by id. Nothing enters
   either before its submission is committed, so that what is taken, and what is told, is on disk. */
#include "server/queue/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"

/* ---- entries ---- */

struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request)
{
    size_t size = strlen(request) + 1;
    struct entry *entry = calloc(1, sizeof *entry + size);
    if (!entry)
        return NULL;
    char *copy = (char *)(entry + 1);
    memcpy(copy, request, size);
    entry->task.device = device;
    entry->task.attempt = attempt;
    entry->task.timeout_s = timeout_s;
    entry->task.request = copy;
    entry->order.priority = priority;
    return entry;
}

static struct entry **entry_chain(struct queue *queue, const char *id)
{
    return &queue->chains[id_hash(id) & queue->chain_mask];
}

struct entry *entry_find(struct queue *queue, const char *id)
{
    struct entry *entry = *entry_chain(queue, id);
    while (entry && strcmp(entry->task.id, id) != 0)
        entry = entry->chain;
    return entry;
}

void entry_enter(struct queue *queue, struct entry *entry)
{
    struct entry **chain = entry_chain(queue, entry->task.id);
    entry->chain = *chain;
    *chain = entry;
}

bool entry_leave(struct queue *queue, struct entry *entry, char over[ID_BYTES])
{
    struct entry **link = entry_chain(queue, entry->task.id);
    while (*link != entry)
        link = &(*link)->chain;
    *link = entry->chain;
    if (!entry->batch)
        return false;
    memcpy(over, entry->batch->id, ID_BYTES);
    return batch_part(queue, entry);
}

void entry_wait(struct queue *queue, struct entry *entry)
{
    struct device_queue *device = &queue->devices[entry->task.device];
    entry->phase = WAITING;
    order_insert(&device->waiting, &entry->order, entry->task.id, entry->order.priority);
    pthread_cond_signal(&device->ready);
}

void entry_unwait(struct queue *queue, struct entry *entry, int phase)
{
    order_remove(&queue->devices[entry->task.device].waiting, &entry->order);
    entry->phase = phase;
    queue->queued--;
}

/* ---- changes of state ---- */

void queue_changed(struct queue *queue, const char *id, enum job_state state)
{
    if (queue->config.changed)
        queue->config.changed(queue->config.changed_arg, id, state);
}

void queue_swept(struct queue *queue, const char *sweep)
{
    if (queue->config.swept)
        queue->config.swept(queue->config.changed_arg, sweep);
}

static void transition_done(struct store_write *write, const struct error *failed)
{
    struct transition *transition = (struct transition *)write;
    struct queue *queue = transition->queue;
    struct entry *ended = transition->ended;
    bool restored = failed && ended && transition->done, swept = false;
    char sweep[ID_BYTES];
    if (ended) {
        pthread_mutex_lock(&queue->lock);
        if (restored) {
            /* It was cancelled while it waited, and whoever asked hears that it was not. */
            queue->queued++;
            entry_wait(queue, ended);
        } else {
            swept = entry_leave(queue, ended, sweep);
        }
        pthread_mutex_unlock(&queue->lock);
        if (!restored)
            free(ended);
    }
    for (int i = 0; i < write->change_count; i++) {
        const struct store_change *change = &write->changes[i];
        if (!failed)
            queue_changed(queue, change->id, change->state);
        else if (!transition->done)
            log_error("experiment %s is %s, and the store cannot be told: %s", change->id,
                      job_state_name(change->state), failed->text);
    }
    if (swept)
        queue_swept(queue, sweep);
    if (failed && transition->report)
        error_set(transition->report, failed->kind, "%s", failed->text);
    if (transition->done)
        transition->done(transition->arg, failed);
    free(transition);
}

struct transition *transition_new(struct queue *queue, const struct ending *ending)
{
    size_t size = ending && ending->result ? strlen(ending->result) + 1 : 0;
    struct transition *transition = calloc(1, sizeof *transition + size);
    if (!transition)
        return NULL;
    transition->queue = queue;
    transition->write.done = transition_done;
    if (size)
        memcpy(transition->result, ending->result, size);
    if (ending && ending->failure)
        transition->failure = *ending->failure;
    return transition;
}

struct store_change *transition_add(struct transition *transition, const char *id, enum job_state state,
                                    int attempt)
{
    struct store_change *change = &transition->write.changes[transition->write.change_count++];
    memcpy(change->id, id, ID_BYTES);
    change->state = state;
    change->attempt = attempt;
    return change;
}

void transition_end(struct transition *transition, struct entry *entry, enum job_state state)
{
    struct store_change *change = transition_add(transition, entry->task.id, state, entry->task.attempt);
    change->started_ms = entry->started_ms;
    change->finished_ms = clock_wall_ms();
    if (transition->failure.kind != ERROR_NONE)
        change->failure = &transition->failure;
    transition->ended = entry;
    entry->phase = ENDING;
}

/* ---- whoever submits ---- */

struct arrival {
    struct store_write write;
    struct store_insert insert;
    struct queue *queue;
    struct entry *entry;
    void (*done)(void *arg, const struct submitted *);
    void *arg;
    char texts[]; /* kernel, key, fingerprint */
};

static void arrival_done(struct store_write *write, const struct error *failed)
{
    struct arrival *arrival = (struct arrival *)write;
    struct queue *queue = arrival->queue;
    struct entry *entry = arrival->entry;
    struct submitted submitted = {.outcome = SUBMITTED_FAILED};
    if (failed)
        submitted.error = *failed;
    else
        submitted.outcome = write->outcome == WRITE_NEW     ? SUBMITTED_NEW
                            : write->outcome == WRITE_AGAIN ? SUBMITTED_AGAIN
                                                            : SUBMITTED_MISMATCH;
    bool is_new = submitted.outcome == SUBMITTED_NEW;
    memcpy(submitted.id, is_new ? entry->task.id : write->known_id, ID_BYTES);

    pthread_mutex_lock(&queue->lock);
    if (is_new) {
        entry_enter(queue, entry);
        entry_wait(queue, entry);
    } else {
        queue->queued--;
    }
    pthread_mutex_unlock(&queue->lock);
    if (!is_new)
        free(entry);
    arrival->done(arrival->arg, &submitted);
    if (is_new)
        queue_changed(queue, submitted.id, JOB_QUEUED);
    free(arrival);
}

/* Appends a copy to the arrival's texts; NULL stays NULL. */
static const char *text_keep(char **end, const char *text)
{
    if (!text)
        return NULL;
    char *copy = *end;
    *end = stpcpy(copy, text) + 1;
    return copy;
}

static struct arrival *arrival_new(struct queue *queue, const struct submission *submission)
{
    const char *key = submission->idempotency_key;
    const char *fingerprint = key && !submission->fingerprint ? "" : submission->fingerprint;
    size_t size = strlen(submission->kernel) + 1 + (key ? strlen(key) + 1 : 0) +
                  (fingerprint ? strlen(fingerprint) + 1 : 0);
    struct arrival *arrival = calloc(1, sizeof *arrival + size);
    struct entry *entry =
        entry_new(submission->device, submission->priority, 0, submission->timeout_s, submission->request);
    if (!arrival || !entry) {
        free(arrival);
        free(entry);
        return NULL;
    }
    char *end = arrival->texts;
    arrival->insert = (struct store_insert){
        .id = entry->task.id,
        .kernel = text_keep(&end, submission->kernel),
        .request = entry->task.request,
        .device = submission->device,
        .priority = submission->priority,
        .timeout_s = submission->timeout_s,
        .key = text_keep(&end, key),
        .fingerprint = text_keep(&end, fingerprint),
    };
    arrival->write.insert = &arrival->insert;
    arrival->write.done = arrival_done;
    arrival->queue = queue;
    arrival->entry = entry;
    return arrival;
}

int queue_submit(struct queue *queue, const struct submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error)
{
    if (submission->device < 0 || submission->device >= queue->config.devices)
        return error_set(error, ERROR_INVALID, "there is no device %d", submission->device);
    struct arrival *arrival = arrival_new(queue, submission);
    if (!arrival)
        return error_set(error, ERROR_MEMORY, "no memory for an experiment");
    arrival->done = done;
    arrival->arg = arg;

    int status = 0;
    pthread_mutex_lock(&queue->lock);
    bool full = queue->queued >= queue->config.limit;
    if (queue->stopping) {
        status = error_set(error, ERROR_UNAVAILABLE, "the service is stopping");
    } else if (full && !arrival->insert.key) {
        status = error_set(error, ERROR_FULL, "the queue is full: %d experiments wait", queue->queued);
    } else {
        /* The id is given here so that ids reach the store in their order: a list never misses one. */
        id_next(arrival->entry->task.id);
        arrival->insert.submitted_ms = clock_wall_ms();
        arrival->insert.known_only = full;
        queue->queued++;
        store_hand_over(queue->store, &arrival->write);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status < 0) {
        free(arrival->entry);
        free(arrival);
    }
    return status;
}

int queue_cancel(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                 void *arg, struct error *error)
{
    struct transition *transition = transition_new(queue, NULL);
    if (!transition)
        return error_set(error, ERROR_MEMORY, "no memory to cancel an experiment");
    int status = 0;
    bool running = false;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    if (!entry) {
        status = error_set(error, ERROR_NOT_FOUND, "no experiment %.32s is queued or running", id);
    } else if (entry->phase == ENDING) {
        status = error_set(error, ERROR_CONFLICT, "experiment %s has ended", entry->task.id);
    } else if (entry->phase == RUNNING) {
        running = entry->cancelled = true;
        eventfd_write(queue->devices[entry->task.device].wake_fd, 1);
    } else {
        entry_unwait(queue, entry, ENDING);
        error_set(&transition->failure, ERROR_CANCELLED, "cancelled before it ran");
        transition_end(transition, entry, JOB_CANCELLED);
        transition->done = done;
        transition->arg = arg;
        store_hand_over(queue->store, &transition->write);
        transition = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(transition);
    if (running)
        done(arg, NULL);
    return status;
}

/* ---- whoever asks ---- */

double device_mean_s(const struct device_queue *device)
{
    int count = device->durations < DURATIONS ? (int)device->durations : DURATIONS;
    double sum_s = 0;
    for (int i = 0; i < count; i++)
        sum_s += device->durations_s[i];
    return count ? sum_s / count : -1;
}

int entry_place(struct queue *queue, const struct entry *entry, double *ahead_s)
{
    *ahead_s = 0;
    if (entry->phase == RUNNING)
        return 0;
    if (entry->phase != WAITING)
        return -1;
    struct device_queue *device = &queue->devices[entry->task.device];
    int before = order_place(device->waiting, &entry->order);
    double mean_s = device_mean_s(device), rest_s = 0;
    if (device->running)
        rest_s = mean_s - (double)(clock_monotonic_ns() - device->running->started_ns) / 1e9;
    int position = before + (device->running ? 1 : 0);
    if (position > 0)
        *ahead_s = mean_s < 0 ? -1 : before * mean_s + (rest_s > 0 ? rest_s : 0);
    return position;
}

int queue_position(struct queue *queue, const char *id, double *ahead_s)
{
    *ahead_s = 0;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    int position = entry ? entry_place(queue, entry, ahead_s) : -1;
    pthread_mutex_unlock(&queue->lock);
    return position;
}

void queue_depth(struct queue *queue, int index, struct queue_depth *depth)
{
    *depth = (struct queue_depth){.mean_s = -1};
    if (index < 0 || index >= queue->config.devices)
        return;
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    depth->queued = order_size(device->waiting);
    depth->mean_s = device_mean_s(device);
    if (device->running)
        memcpy(depth->running, device->running->task.id, ID_BYTES);
    pthread_mutex_unlock(&queue->lock);
}

double queue_room_s(struct queue *queue, int count)
{
    double per_s = 0;
    pthread_mutex_lock(&queue->lock);
    int excess = queue->queued + count - queue->config.limit;
    for (int i = 0; i < queue->config.devices; i++) {
        double mean_s = device_mean_s(&queue->devices[i]);
        if (mean_s > 0 && order_size(queue->devices[i].waiting))
            per_s += 1 / mean_s;
    }
    pthread_mutex_unlock(&queue->lock);
    if (excess <= 0)
        return 0;
    return per_s > 0 && count <= queue->config.limit ? excess / per_s : -1;
}

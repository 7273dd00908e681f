#include "server/queue/queue_submit.h"

#include <stdlib.h>
#include <string.h>

#include "api/request_kernels.h"
#include "api/sweep.h"
#include "server/metrics/metrics.h"
#include "server/queue/entry.h"
#include "server/queue/selection.h"
#include "server/queue/queue_limits.h"
#include "server/store/store.h"

/* A submission on its way to the store. Its entries enter the queue after the commit. */
struct arrival {
    struct store_write write;
    struct store_submission submission;
    struct queue *queue;
    struct entry_sweep *sweep; /* NULL: a single experiment */
    struct error refusal;      /* why it cannot wait, unless its key is known */
    struct device_set common;  /* of a sweep that is not spread: of its unbound experiments */
    void (*done)(void *arg, const struct submitted *);
    void *arg;
    struct entry **entries; /* submission.count, behind the rows; NULL when it has entered the queue */
    struct store_experiment experiments[]; /* of the entries */
};

static void arrival_free(struct arrival *arrival)
{
    for (int i = 0; i < arrival->submission.count; i++)
        free(arrival->entries[i]);
    free(arrival->sweep);
    free(arrival);
}

/* With the lock held: all of it waits from here on, and is the queue's. */
static void arrival_enter(struct arrival *arrival)
{
    struct queue *queue = arrival->queue;
    for (int i = 0; i < arrival->submission.count; i++) {
        struct entry *entry = arrival->entries[i];
        entry_insert(queue, entry, arrival->sweep);
        entry_wait(queue, entry);
        selection_check(queue, entry);
        arrival->entries[i] = NULL;
    }
    if (arrival->submission.count) /* some points of the sweep can be launched */
        arrival->sweep = NULL;
}

/* With the lock held: the first `count` entries are no longer counted and have no owner queues. */
static void arrival_release(struct arrival *arrival, int count)
{
    for (int i = 0; i < count; i++) {
        entry_count(arrival->queue, arrival->entries[i], -1);
        owner_queue_leave(arrival->entries[i]->owner_queue);
    }
}

static void arrival_done(struct store_write *write, const struct error *failed)
{
    static const int outcomes[] = {
        [WRITE_NEW] = SUBMITTED_NEW, [WRITE_AGAIN] = SUBMITTED_AGAIN, [WRITE_MISMATCH] = SUBMITTED_MISMATCH};
    struct arrival *arrival = (struct arrival *)write;
    struct queue *queue = arrival->queue;
    const struct store_submission *submission = &arrival->submission;
    struct submitted submitted = {.outcome = SUBMITTED_FAILED};
    if (failed)
        submitted.error = failed->kind == ERROR_FULL ? arrival->refusal : *failed;
    else
        submitted.outcome = outcomes[write->outcome];
    bool is_new = submitted.outcome == SUBMITTED_NEW;
    const char *own = submission->sweep ? submission->sweep : arrival->experiments[0].id;
    memcpy(submitted.id, is_new ? own : write->known_id, ID_BYTES);

    pthread_mutex_lock(&queue->lock);
    if (is_new)
        arrival_enter(arrival);
    else if (!submission->known_only)
        arrival_release(arrival, submission->count);
    pthread_mutex_unlock(&queue->lock);
    arrival->done(arrival->arg, &submitted);
    for (int i = 0; is_new && i < submission->count; i++) {
        metrics_count(EVENT_SUBMITTED, arrival->experiments[i].device, NULL, 1);
        transition_notify(queue, arrival->experiments[i].id, JOB_QUEUED);
    }
    arrival_free(arrival);
}

static bool is_unbound(const struct sweep_experiment *one)
{
    return one->open || device_set_count(&one->devices) > 1;
}

/* What waits has the definitions of its kernels, which its row finds by their names. NULL: no memory. */
static struct entry *entry_of(const struct sweep_experiment *one, int device)
{
    const char *definitions[SOURCE_DEFINITIONS];
    if (!one->source_count)
        return entry_new(device, one->priority, 0, one->timeout_s, one->request);
    for (int i = 0; i < one->source_count; i++)
        definitions[i] = one->sources[i].definition;
    char *whole = request_kernels_join(one->request, definitions, one->source_count);
    struct entry *entry = whole ? entry_new(device, one->priority, 0, one->timeout_s, whole) : NULL;
    free(whole);
    return entry;
}

/* Bytes of its requests as they wait. */
static int64_t bytes_of(const struct sweep *sweep)
{
    int64_t bytes = 0;
    for (int i = 0; i < sweep->experiment_count; i++) {
        const struct sweep_experiment *one = &sweep->experiments[i];
        bytes += (int64_t)strlen(one->request);
        for (int k = 0; k < one->source_count; k++)
            bytes += (int64_t)strlen(one->sources[k].definition);
    }
    return bytes * sweep->rounds;
}

/* Makes the entries and the rows, without ids, round by round: the order in which they wait. -1: no
   memory. */
static int arrival_fill(struct arrival *arrival, const struct sweep *sweep)
{
    for (int i = 0; i < arrival->submission.count; i++) {
        const struct sweep_experiment *one = &sweep->experiments[i % sweep->experiment_count];
        int device = is_unbound(one) ? -1 : device_set_next(&one->devices, 0);
        if (!(arrival->entries[i] = entry_of(one, device)))
            return -1;
        arrival->entries[i]->task.array_bytes = one->array_bytes;
        arrival->experiments[i] = (struct store_experiment){
            .kernel = one->kernel,
            .request = one->request,
            .sources = one->sources,
            .source_count = one->source_count,
            .device = device,
            .priority = one->priority,
            .points = arrival->sweep ? one->points : 0,
            .repeat_index = sweep->rounds > 1 ? i / sweep->experiment_count : -1,
            .timeout_s = one->timeout_s,
        };
    }
    return 0;
}

/* NULL: no memory. */
static struct arrival *arrival_new(struct queue *queue, const struct queue_submission *submission, int count)
{
    const struct sweep *sweep = submission->sweep;
    bool single = !submission->request;
    struct arrival *arrival = NULL;
    size_t each = sizeof arrival->experiments[0] + sizeof(struct entry *);
    if (!(arrival = calloc(1, sizeof *arrival + (size_t)count * each)))
        return NULL;
    arrival->queue = queue;
    arrival->entries = (struct entry **)&arrival->experiments[count];
    arrival->sweep = single ? NULL : entry_sweep_new((char[ID_BYTES]){0}, sweep->spread);
    arrival->submission = (struct store_submission){
        .experiments = arrival->experiments,
        .count = count,
        .rounds = sweep->rounds,
        .owner = submission->owner,
        .sweep = arrival->sweep ? arrival->sweep->id : NULL,
        .request = submission->request,
        .recipe = submission->recipe,
        .points = sweep->points,
        .point_count = single ? 0 : sweep->point_count,
        .spread = sweep->spread,
        .key = submission->idempotency_key,
        .fingerprint = submission->fingerprint ? submission->fingerprint : "",
    };
    arrival->write.submission = &arrival->submission;
    arrival->write.done = arrival_done;
    if ((single || arrival->sweep) && arrival_fill(arrival, sweep) == 0)
        return arrival;
    arrival_free(arrival);
    return NULL;
}

/* With the lock held, so that the ids reach the store in their order and a list never misses one. A look-up of a key
   (known_only) reserves nothing, or refused submissions could fill the queue. -1: no memory. */
static int arrival_send(struct arrival *arrival, const struct sweep *sweep, struct owner *owner)
{
    struct queue *queue = arrival->queue;
    arrival->submission.known_only = arrival->refusal.kind == ERROR_FULL;
    arrival->submission.submitted_ms = clock_wall_ms();
    if (arrival->sweep)
        id_next(arrival->sweep->id);
    for (int i = 0; i < arrival->submission.count; i++) {
        const struct device_set *devices = arrival->sweep && !sweep->spread
                                               ? &arrival->common
                                               : &sweep->experiments[i % sweep->experiment_count].devices;
        struct entry *entry = arrival->entries[i];
        id_next(entry->task.id);
        memcpy(arrival->experiments[i].id, entry->task.id, ID_BYTES);
        if (arrival->submission.known_only)
            continue;
        if (entry_set_owner(queue, entry, owner, devices) < 0) {
            arrival_release(arrival, i);
            return -1;
        }
        entry_count(queue, entry, 1);
    }
    store_hand_over(queue->store, &arrival->write);
    return 0;
}

/* *common: the devices that may run all of its unbound experiments. */
static int sweep_check(const struct queue *queue, const struct sweep *sweep, struct device_set *common,
                       struct error *error)
{
    int unbound = 0;
    for (int i = 0; i < sweep->experiment_count; i++) {
        const struct device_set *devices = &sweep->experiments[i].devices;
        int first = device_set_next(devices, 0), beyond = device_set_next(devices, queue->config.devices);
        if (first < 0 || beyond >= 0)
            return error_set(error, ERROR_INVALID, "there is no device %d", first < 0 ? first : beyond);
        if (is_unbound(&sweep->experiments[i]))
            *common = unbound++ ? device_set_both(common, devices) : *devices;
    }
    if (unbound && !sweep->spread && !device_set_count(common))
        return error_set(error, ERROR_INVALID,
                         "no device may run all of it: \"spread\": true lets each go where it may");
    return 0;
}

int queue_submit(struct queue *queue, const struct queue_submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error)
{
    const struct sweep *sweep = submission->sweep;
    int count = sweep->experiment_count * sweep->rounds, status;
    double timeouts_s = 0;
    struct device_set common = {{0}};
    if (sweep_check(queue, sweep, &common, error) < 0)
        return -1;
    int64_t bytes = bytes_of(sweep);
    for (int i = 0; i < sweep->experiment_count; i++)
        timeouts_s += sweep->experiments[i].timeout_s * sweep->rounds;
    if (queue_limits_never(bytes, error) < 0)
        return -1;
    struct arrival *arrival = arrival_new(queue, submission, count);
    if (!arrival)
        return error_set(error, ERROR_MEMORY, "no memory for %d experiment%s", count, count == 1 ? "" : "s");
    arrival->done = done;
    arrival->arg = arg;
    arrival->common = common;
    pthread_mutex_lock(&queue->lock);
    if (queue->owners.count > queue->queued + 2 * OWNERS_IDLE_MAX)
        owner_forget(&queue->owners, queue->store, queue_state_now_ns(queue), queue->config.half_life_s);
    struct owner *owner = owner_get(&queue->owners, submission->owner ? submission->owner : "");
    if (queue->stopping)
        status = error_set(&arrival->refusal, ERROR_UNAVAILABLE, "the service is stopping");
    else if (!owner)
        status = error_set(&arrival->refusal, ERROR_MEMORY, "no memory for another owner");
    else
        status = queue_limits_check(queue, owner, count, timeouts_s, &arrival->refusal);
    if (status == 0)
        status = queue_limits_check_bytes(queue, owner, bytes, &arrival->refusal);
    if (status == 0 || (arrival->refusal.kind == ERROR_FULL && submission->idempotency_key)) {
        status = arrival_send(arrival, sweep, owner);
        if (status < 0)
            error_set(&arrival->refusal, ERROR_MEMORY, "no memory to queue %d experiments", count);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status < 0) {
        *error = arrival->refusal;
        arrival_free(arrival);
    }
    return status;
}

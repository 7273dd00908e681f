/* The one way in: a sweep with all of its experiments, or one experiment by itself, is one write of the store and
   enters the queue after its commit. */
#include <stdlib.h>
#include <string.h>

#include "api/sweep.h"
#include "base/clock.h"
#include "server/metrics/metrics.h"
#include "server/queue/bound.h"
#include "server/queue/transition.h"
#include "server/store/store.h"

struct arrival {
    struct store_write write;
    struct store_submission submission;
    struct queue *queue;
    struct group *group;   /* NULL: an experiment by itself */
    struct entry *entries; /* by their `chain`, in their order */
    struct error refusal;  /* why there is no room, unless the key is known */
    void (*done)(void *arg, const struct submitted *);
    void *arg;
    struct store_experiment experiments[]; /* of the entries */
};

static void arrival_free(struct arrival *arrival)
{
    for (struct entry *entry = arrival->entries, *next; entry; entry = next) {
        next = entry->chain;
        free(entry);
    }
    free(arrival->group);
    free(arrival);
}

/* With the lock held: all of it waits from here on, and is the queue's. */
static void arrival_enter(struct arrival *arrival)
{
    struct queue *queue = arrival->queue;
    struct group *group = arrival->entries ? arrival->group : NULL;
    if (group)
        group_enter(queue, group);
    for (struct entry *entry = arrival->entries, *next; entry; entry = next) {
        next = entry->chain;
        if (group)
            group_join(group, entry);
        entry_enter(queue, entry);
        entry_wait(queue, entry);
    }
    arrival->entries = NULL;
    if (group)
        arrival->group = NULL;
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
    struct entry *entry = submission->known_only ? NULL : arrival->entries;
    for (; entry; entry = entry->chain) /* what did not enter */
        entry_count(queue, entry, -1);
    pthread_mutex_unlock(&queue->lock);
    arrival->done(arrival->arg, &submitted);
    for (int i = 0; is_new && i < submission->count; i++) {
        metrics_count(EVENT_SUBMITTED, arrival->experiments[i].device, NULL, 1);
        transition_tell(queue, arrival->experiments[i].id, JOB_QUEUED);
    }
    arrival_free(arrival);
}

/* The entries and the rows of what is submitted, without ids. 0, or -1: no memory. */
static int arrival_fill(struct arrival *arrival, const struct sweep *sweep, bool alone)
{
    struct entry **end = &arrival->entries;
    for (int i = 0; i < sweep->experiment_count; i++, end = &(*end)->chain) {
        const struct sweep_experiment *one = &sweep->experiments[i];
        *end = entry_new(one->device, one->priority, 0, one->timeout_s, one->request);
        if (!*end)
            return -1;
        arrival->experiments[i] = (struct store_experiment){
            .kernel = one->kernel,
            .request = (*end)->task.request,
            .device = one->device,
            .priority = one->priority,
            .points = alone ? 0 : one->points,
            .timeout_s = one->timeout_s,
        };
    }
    return 0;
}

/* NULL: no memory. */
static struct arrival *arrival_new(struct queue *queue, const struct submission *submission)
{
    const struct sweep *sweep = submission->sweep;
    bool alone = !submission->request;
    struct arrival *arrival =
        calloc(1, sizeof *arrival + (size_t)sweep->experiment_count * sizeof arrival->experiments[0]);
    if (!arrival)
        return NULL;
    arrival->queue = queue;
    if ((!alone && !(arrival->group = group_new((char[ID_BYTES]){0}))) ||
        arrival_fill(arrival, sweep, alone) < 0) {
        arrival_free(arrival);
        return NULL;
    }
    arrival->submission = (struct store_submission){
        .experiments = arrival->experiments,
        .count = sweep->experiment_count,
        .owner = submission->owner,
        .sweep = alone ? NULL : arrival->group->id,
        .request = submission->request,
        .recipe = submission->recipe,
        .points = sweep->points,
        .point_count = alone ? 0 : sweep->point_count,
        .key = submission->idempotency_key,
        .fingerprint = submission->fingerprint ? submission->fingerprint : "",
    };
    arrival->write.submission = &arrival->submission;
    arrival->write.done = arrival_done;
    return arrival;
}

/* With the lock held. The ids are given here so that they reach the store in their order: a list never misses one. */
static void arrival_send(struct arrival *arrival, struct owner *owner)
{
    struct queue *queue = arrival->queue;
    struct store_experiment *experiment = arrival->experiments;
    /* What is only looked up takes no place, or whoever is refused could fill the queue with what is refused. */
    bool known_only = arrival->refusal.kind == ERROR_FULL;
    if (arrival->group)
        id_next(arrival->group->id);
    for (struct entry *entry = arrival->entries; entry; entry = entry->chain, experiment++) {
        id_next(experiment->id);
        memcpy(entry->task.id, experiment->id, ID_BYTES);
        entry->owner = owner;
        if (!known_only)
            entry_count(queue, entry, 1);
    }
    arrival->submission.submitted_ms = clock_wall_ms();
    arrival->submission.known_only = known_only;
    store_hand_over(queue->store, &arrival->write);
}

static int submission_check(const struct queue *queue, const struct sweep *sweep, struct error *error)
{
    for (int i = 0; i < sweep->experiment_count; i++)
        if (sweep->experiments[i].device < 0 || sweep->experiments[i].device >= queue->config.devices)
            return error_set(error, ERROR_INVALID, "there is no device %d", sweep->experiments[i].device);
    return 0;
}

int queue_submit(struct queue *queue, const struct submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error)
{
    int count = submission->sweep->experiment_count;
    double timeouts_s = 0;
    if (submission_check(queue, submission->sweep, error) < 0)
        return -1;
    for (int i = 0; i < count; i++)
        timeouts_s += submission->sweep->experiments[i].timeout_s;
    struct arrival *arrival = arrival_new(queue, submission);
    if (!arrival)
        return error_set(error, ERROR_MEMORY, "no memory for %d experiment%s", count, count == 1 ? "" : "s");
    arrival->done = done;
    arrival->arg = arg;
    int status = 0;
    pthread_mutex_lock(&queue->lock);
    struct owner *owner = queue_owner(queue, submission->owner);
    if (queue->stopping)
        status = error_set(error, ERROR_UNAVAILABLE, "the service is stopping");
    else if (!owner)
        status = error_set(error, ERROR_MEMORY, "no memory for another owner");
    else
        status = bound_check(queue, owner, count, timeouts_s, &arrival->refusal);
    bool asks = owner && arrival->refusal.kind == ERROR_FULL && submission->idempotency_key;
    if (arrival->refusal.kind != ERROR_NONE && !asks)
        *error = arrival->refusal;
    if (status == 0 || asks) {
        arrival_send(arrival, owner);
        arrival = NULL;
        status = 0;
    }
    pthread_mutex_unlock(&queue->lock);
    if (arrival)
        arrival_free(arrival);
    return status;
}

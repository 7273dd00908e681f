/* The one way in: a sweep with all of its experiments, or one experiment by itself, is one write of the store and
   enters the queue after its commit. */
#include <stdlib.h>
#include <string.h>

#include "api/sweep.h"
#include "base/clock.h"
#include "server/metrics/metrics.h"
#include "server/queue/owner_forget.h"
#include "server/queue/queue_limits.h"
#include "server/queue/listed_devices.h"
#include "server/queue/transition.h"
#include "server/store/store.h"

struct arrival {
    struct store_write write;
    struct store_submission submission;
    struct queue *queue;
    struct group *group;      /* NULL: an experiment by itself */
    struct entry *entries;    /* by their `chain`, in their order */
    struct error refusal;     /* why there is no room, unless the key is known */
    struct device_set common; /* of a sweep that is not spread: of those that may run on several */
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
        selection_ask(queue, entry);
    }
    arrival->entries = NULL;
    if (group)
        arrival->group = NULL;
}

/* With the lock held: it waits no more, and has no owner queues. */
static void arrival_drop(struct arrival *arrival)
{
    for (struct entry *entry = arrival->entries; entry; entry = entry->chain) {
        entry_count(arrival->queue, entry, -1);
        owner_queue_leave(entry->owner_queue);
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
    if (!submission->known_only) /* what did not enter */
        arrival_drop(arrival);
    pthread_mutex_unlock(&queue->lock);
    arrival->done(arrival->arg, &submitted);
    for (int i = 0; is_new && i < submission->count; i++) {
        metrics_count(EVENT_SUBMITTED, arrival->experiments[i].device, NULL, 1);
        transition_tell(queue, arrival->experiments[i].id, JOB_QUEUED);
    }
    arrival_free(arrival);
}

static int run_count(const struct sweep *sweep)
{
    return sweep->experiment_count * sweep_rounds(sweep);
}

/* Is it bound to none until one takes it? */
static bool is_wide(const struct sweep_experiment *one)
{
    return one->open || device_set_count(&one->devices) > 1;
}

/* The entries and the rows of what is submitted, without ids, round by round: that is the order in which they wait. 0, or
   -1: no memory. */
static int arrival_fill(struct arrival *arrival, const struct sweep *sweep, bool alone)
{
    struct entry **end = &arrival->entries;
    bool repeated = sweep_rounds(sweep) > 1;
    for (int i = 0; i < run_count(sweep); i++, end = &(*end)->chain) {
        const struct sweep_experiment *one = &sweep->experiments[i % sweep->experiment_count];
        int device = is_wide(one) ? -1 : device_set_next(&one->devices, 0);
        *end = entry_new(device, one->priority, 0, one->timeout_s, one->request);
        if (!*end)
            return -1;
        arrival->experiments[i] = (struct store_experiment){
            .kernel = one->kernel,
            .request = (*end)->task.request,
            .device = device,
            .priority = one->priority,
            .points = alone ? 0 : one->points,
            .repeat_index = repeated ? i / sweep->experiment_count : -1,
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
        calloc(1, sizeof *arrival + (size_t)run_count(sweep) * sizeof arrival->experiments[0]);
    if (!arrival)
        return NULL;
    arrival->queue = queue;
    if ((!alone && !(arrival->group = group_new((char[ID_BYTES]){0}, sweep->spread))) ||
        arrival_fill(arrival, sweep, alone) < 0) {
        arrival_free(arrival);
        return NULL;
    }
    arrival->submission = (struct store_submission){
        .experiments = arrival->experiments,
        .count = run_count(sweep),
        .rounds = sweep_rounds(sweep),
        .owner = submission->owner,
        .sweep = alone ? NULL : arrival->group->id,
        .request = submission->request,
        .recipe = submission->recipe,
        .points = sweep->points,
        .point_count = alone ? 0 : sweep->point_count,
        .spread = sweep->spread,
        .key = submission->idempotency_key,
        .fingerprint = submission->fingerprint ? submission->fingerprint : "",
    };
    arrival->write.submission = &arrival->submission;
    arrival->write.done = arrival_done;
    return arrival;
}

/* With the lock held: they take their places. 0; or -1: no memory, and none has one. */
static int arrival_place(struct arrival *arrival, const struct sweep *sweep, struct owner *owner)
{
    struct queue *queue = arrival->queue;
    int i = 0;
    for (struct entry *entry = arrival->entries; entry; entry = entry->chain, i++) {
        const struct device_set *devices = &sweep->experiments[i % sweep->experiment_count].devices;
        if (entry_line(queue, entry, owner, arrival->group && !sweep->spread ? &arrival->common : devices) ==
            0) {
            entry_count(queue, entry, 1);
            continue;
        }
        for (struct entry *placed = arrival->entries; placed != entry; placed = placed->chain) {
            entry_count(queue, placed, -1);
            owner_queue_leave(placed->owner_queue);
        }
        return -1;
    }
    return 0;
}

/* With the lock held. The ids are given here so that they reach the store in their order: a list never misses one. 0; or -1:
   no memory. */
static int arrival_send(struct arrival *arrival, const struct sweep *sweep, struct owner *owner)
{
    struct queue *queue = arrival->queue;
    struct store_experiment *experiment = arrival->experiments;
    /* What is only looked up takes no place, or whoever is refused could fill the queue with what is refused. */
    bool known_only = arrival->refusal.kind == ERROR_FULL;
    if (!known_only && arrival_place(arrival, sweep, owner) < 0)
        return -1;
    if (arrival->group)
        id_next(arrival->group->id);
    for (struct entry *entry = arrival->entries; entry; entry = entry->chain, experiment++) {
        id_next(experiment->id);
        memcpy(entry->task.id, experiment->id, ID_BYTES);
    }
    arrival->submission.submitted_ms = clock_wall_ms();
    arrival->submission.known_only = known_only;
    store_hand_over(queue->store, &arrival->write);
    return 0;
}

/* *common: on which all of it may run that may run on several. */
static int submission_check(const struct queue *queue, const struct sweep *sweep, struct device_set *common,
                            struct error *error)
{
    int several = 0;
    for (int i = 0; i < sweep->experiment_count; i++) {
        const struct device_set *devices = &sweep->experiments[i].devices;
        int device = device_set_next(devices, 0);
        if (device < 0 || device_set_next(devices, queue->config.devices) >= 0)
            return error_set(error, ERROR_INVALID, "there is no device %d",
                             device < 0 ? device : device_set_next(devices, queue->config.devices));
        if (is_wide(&sweep->experiments[i]))
            *common = several++ ? device_set_both(common, devices) : *devices;
    }
    if (several && !sweep->spread && !device_set_count(common))
        return error_set(error, ERROR_INVALID,
                         "no device may run all of it: \"spread\": true lets each go where it may");
    return 0;
}

int queue_submit(struct queue *queue, const struct submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error)
{
    const struct sweep *sweep = submission->sweep;
    int count = run_count(sweep);
    double timeouts_s = 0;
    struct device_set common = {{0}};
    if (submission_check(queue, sweep, &common, error) < 0)
        return -1;
    for (int i = 0; i < sweep->experiment_count; i++)
        timeouts_s += sweep->experiments[i].timeout_s * sweep_rounds(sweep);
    struct arrival *arrival = arrival_new(queue, submission);
    if (!arrival)
        return error_set(error, ERROR_MEMORY, "no memory for %d experiment%s", count, count == 1 ? "" : "s");
    arrival->done = done;
    arrival->arg = arg;
    arrival->common = common;
    int status = 0;
    pthread_mutex_lock(&queue->lock);
    if (queue->owners.count > queue->queued + 2 * OWNERS_KEPT)
        owners_forget(queue);
    struct owner *owner = queue_owner(queue, submission->owner);
    if (queue->stopping)
        status = error_set(error, ERROR_UNAVAILABLE, "the service is stopping");
    else if (!owner)
        status = error_set(error, ERROR_MEMORY, "no memory for another owner");
    else
        status = queue_limits_check(queue, owner, count, timeouts_s, &arrival->refusal);
    bool asks = owner && arrival->refusal.kind == ERROR_FULL && submission->idempotency_key;
    if (arrival->refusal.kind != ERROR_NONE && !asks)
        *error = arrival->refusal;
    if (status == 0 || asks) {
        status = arrival_send(arrival, sweep, owner);
        if (status < 0)
            error_set(error, ERROR_MEMORY, "no memory for the places of %d", count);
        else
            arrival = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    if (arrival)
        arrival_free(arrival);
    return status;
}

#include "server/queue/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "server/metrics/metrics.h"
#include "server/queue/schedule.h"
#include "server/store/store.h"

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

int entry_set_owner(struct queue *queue, struct entry *entry, struct owner *owner,
                    const struct device_set *devices)
{
    int device = entry->task.device;
    struct owner_queue *owner_queue = device >= 0
                                          ? owner_queue_get(owner, &queue->devices[device].group)
                                          : owner_queue_unbound(owner, &queue->device_groups, devices);
    if (!owner_queue)
        return -1;
    entry->owner = owner;
    entry->owner_queue = owner_queue;
    owner_queue_join(owner_queue);
    return 0;
}

/* ---- the index and the sweeps ---- */

static struct entries *index_chain(struct queue *queue, const char *id)
{
    return &queue->index[hash_text(id) & queue->index_mask];
}

struct entry *entry_find(struct queue *queue, const char *id)
{
    struct entry *entry;
    LIST_FOREACH (entry, index_chain(queue, id), of_chain)
        if (strcmp(entry->task.id, id) == 0)
            return entry;
    return NULL;
}

struct entry_sweep *entry_sweep_find(struct queue *queue, const char *id)
{
    struct entry_sweep *sweep;
    LIST_FOREACH (sweep, &queue->sweeps, next)
        if (strcmp(sweep->id, id) == 0)
            return sweep;
    return NULL;
}

struct entry_sweep *entry_sweep_new(const char *id, bool spread)
{
    struct entry_sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return NULL;
    memcpy(sweep->id, id, ID_BYTES);
    sweep->spread = spread;
    return sweep;
}

void entry_insert(struct queue *queue, struct entry *entry, struct entry_sweep *sweep)
{
    LIST_INSERT_HEAD(index_chain(queue, entry->task.id), entry, of_chain);
    if (!sweep)
        return;
    if (!sweep->count++)
        LIST_INSERT_HEAD(&queue->sweeps, sweep, next);
    LIST_INSERT_HEAD(&sweep->entries, entry, of_sweep);
    entry->sweep = sweep;
}

void entry_free(struct entry *entry, char sweep_ended[ID_BYTES])
{
    struct entry_sweep *sweep = entry->sweep;
    LIST_REMOVE(entry, of_chain);
    owner_queue_leave(entry->owner_queue);
    if (sweep)
        LIST_REMOVE(entry, of_sweep);
    if (sweep && !--sweep->count) {
        memcpy(sweep_ended, sweep->id, ID_BYTES);
        LIST_REMOVE(sweep, next);
        free(sweep);
    }
    free(entry->cancelled_by);
    free(entry);
}

/* ---- waiting ---- */

void entry_count(struct queue *queue, const struct entry *entry, int count)
{
    queue->queued += count;
    entry->owner->waiting += count;
    queue->request_bytes += count * (int64_t)strlen(entry->task.request);
    entry->owner->request_bytes += count * (int64_t)strlen(entry->task.request);
    entry->owner->array_bytes += count * entry->task.array_bytes;
    entry->owner->timeouts_ms += count * llround(entry->task.timeout_s * 1e3);
}

/* The tree in which it waits; counts an override in its owner queue, or with -1 no longer. */
static struct order_node **waiting_tree(struct entry *entry, int count)
{
    if (entry->order.priority < PRIORITY_OVERRIDE)
        return &entry->owner_queue->waiting;
    entry->owner_queue->overrides += count;
    return &entry->owner_queue->device_group->overrides;
}

/* By how much an entry that comes (count 1) or goes (-1) changes the work items of its device group. */
static int work_items_change(struct entry *entry, int count)
{
    struct entry_sweep *sweep = entry->sweep;
    if (!sweep || sweep->spread || !entry_unbound(entry))
        return count;
    sweep->waiting += count;
    return sweep->waiting == (count > 0) ? count : 0;
}

void entry_wait(struct queue *queue, struct entry *entry)
{
    struct device_group *group = entry->owner_queue->device_group;
    entry->phase = WAITING;
    entry->order.bytes = (int64_t)entry->task.array_bytes;
    order_insert(waiting_tree(entry, 1), &entry->order, entry->task.id, entry->order.priority);
    order_insert(&group->ages, &entry->age, entry->task.id, 0);
    group->work_items += work_items_change(entry, 1);
    schedule_wake(queue, &group->devices);
}

void entry_pull(struct entry *entry)
{
    struct device_group *group = entry->owner_queue->device_group;
    order_remove(waiting_tree(entry, -1), &entry->order);
    order_remove(&group->ages, &entry->age);
    group->work_items += work_items_change(entry, -1);
}

void entry_unwait(struct queue *queue, struct entry *entry, int phase)
{
    entry_pull(entry);
    entry->phase = phase;
    entry_count(queue, entry, -1);
}

void entry_move(struct entry *entry, struct owner_queue *owner_queue)
{
    struct owner_queue *before = entry->owner_queue;
    owner_queue_join(owner_queue);
    entry->owner_queue = owner_queue;
    owner_queue_leave(before);
}

/* ---- changes of state on their way to the store ---- */

void transition_notify(struct queue *queue, const char *id, enum job_state state)
{
    if (id[0] && queue->config.changed)
        queue->config.changed(queue->config.changed_arg, id, state);
}

static void count_end(const struct transition *transition, const struct store_change *change)
{
    const char *outcome = job_state_name(change->state);
    if (change->state == JOB_FAILED)
        outcome = change->failure ? error_kind_name(change->failure->kind) : NULL;
    metrics_count(EVENT_ENDED, transition->device, outcome, 1);
    if (!change->started_ms || (change->state == JOB_CANCELLED && transition->done)) /* it waited */
        return;
    metrics_span(SPAN_WAIT, transition->device, (double)(change->started_ms - id_ms(change->id)) / 1e3);
    metrics_span(SPAN_RUN, transition->device, (double)(change->finished_ms - change->started_ms) / 1e3);
}

/* With the lock held. A worker that found too many uncommitted changes may take again. */
static void count_committed(struct queue *queue)
{
    if (queue->uncommitted-- != queue->uncommitted_max)
        return;
    for (int i = -1; (i = device_set_next(&queue->sleeping, i + 1)) >= 0;)
        pthread_cond_signal(&queue->devices[i].wake);
}

static void transition_done(struct store_write *write, const struct error *failed)
{
    struct transition *transition = (struct transition *)write;
    struct queue *queue = transition->queue;
    char sweep_ended[ID_BYTES] = "";
    pthread_mutex_lock(&queue->lock);
    if (!transition->done)
        count_committed(queue);
    if (transition->started) {
        transition->started->uncommitted = false;
        pthread_cond_signal(&transition->started->wake);
    }
    if (transition->ended && failed && transition->done) {
        entry_count(queue, transition->ended, 1);
        entry_wait(queue, transition->ended);
    } else if (transition->ended) {
        entry_free(transition->ended, sweep_ended);
    }
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; i < write->change_count; i++) {
        const struct store_change *change = &write->changes[i];
        if (!failed && job_state_ended(change->state))
            count_end(transition, change);
        if (!failed)
            transition_notify(queue, change->id, change->state);
        else if (!transition->done)
            log_error("experiment %s is %s, and the store %s: %s", change->id, job_state_name(change->state),
                      failed->kind == ERROR_UNCERTAIN ? "may not have recorded it" : "has not recorded it",
                      failed->text);
    }
    transition_notify(queue, sweep_ended, JOB_STATES);
    if (transition->done)
        transition->done(transition->arg, failed);
    samples_free(&transition->samples);
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
    if (ending && ending->samples && samples_copy(&transition->samples, ending->samples) < 0) {
        free(transition);
        return NULL;
    }
    if (ending && ending->failure)
        transition->failure = *ending->failure;
    return transition;
}

/* An entry outlives the commits of its changes, and its owner and its sweep outlive the entry. */
struct store_about entry_about(const struct entry *entry)
{
    return (struct store_about){
        .sweep = entry->sweep ? entry->sweep->id : NULL,
        .owner = entry->owner->name,
        .request = entry->task.request,
        .device = entry->task.device,
    };
}

struct store_change *transition_add(struct transition *transition, const struct entry *entry,
                                    enum job_state state)
{
    struct store_change *change = &transition->write.changes[transition->write.change_count++];
    memcpy(change->id, entry->task.id, ID_BYTES);
    change->state = state;
    change->attempt = entry->task.attempt;
    change->about = entry_about(entry);
    return change;
}

void transition_end(struct transition *transition, struct entry *entry, enum job_state state)
{
    struct store_change *change = transition_add(transition, entry, state);
    change->started_ms = entry->started_ms;
    change->finished_ms = clock_wall_ms();
    if (transition->failure.kind != ERROR_NONE)
        change->failure = &transition->failure;
    transition->ended = entry;
    transition->device = entry->task.device;
    entry->phase = ENDING;
    entry->ended = true;
}

void transition_cancelled(struct transition *transition, const struct entry *entry)
{
    error_clear(&transition->failure);
    if (entry->cancelled_by)
        error_set(&transition->failure, ERROR_CANCELLED, "cancelled by %s while it ran", entry->cancelled_by);
    else
        error_set(&transition->failure, ERROR_CANCELLED, "cancelled while it ran");
}

void transition_lose(struct transition *transition, int attempt, int device, int64_t at_ms,
                     const char *reason)
{
    snprintf(transition->lost_reason, sizeof transition->lost_reason, "%s", reason);
    transition->lost = (struct store_lost){attempt, device, at_ms, transition->lost_reason};
    transition->write.changes[0].lost = &transition->lost;
}

void transition_charge(struct transition *transition, struct owner *owner, double took_s)
{
    struct queue *queue = transition->queue;
    owner_charge(owner, took_s, queue_state_now_ns(queue), queue->config.half_life_s);
    if (!owner->name[0]) /* without names there is one owner, and nothing to share */
        return;
    transition->share =
        (struct store_share){.owner = owner->name, .used_s = owner->used_s, .at_ms = clock_wall_ms()};
    transition->write.share = &transition->share;
}

void transition_hand_over(struct transition *transition)
{
    /* A cancellation has no result that is in memory alone. */
    transition->queue->uncommitted += !transition->done;
    store_hand_over(transition->queue->store, &transition->write);
}

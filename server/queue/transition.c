#include "server/queue/transition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/metrics/metrics.h"
#include "server/queue/entry.h"
#include "server/store/store.h"

void transition_notify(struct queue *queue, const char *id, enum job_state state)
{
    if (queue->config.changed)
        queue->config.changed(queue->config.changed_arg, id, state);
}

void transition_notify_sweep(struct queue *queue, const char *sweep)
{
    if (sweep[0] && queue->config.sweep_ended)
        queue->config.sweep_ended(queue->config.changed_arg, sweep);
}

static void count_end(int device, const struct store_change *change)
{
    const char *outcome = job_state_name(change->state);
    if (change->state == JOB_FAILED)
        outcome = change->failure ? error_kind_name(change->failure->kind) : NULL;
    metrics_count(EVENT_ENDED, device, outcome, 1);
    if (!change->started_ms)
        return;
    metrics_span(SPAN_WAIT, device, (double)(change->started_ms - id_ms(change->id)) / 1e3);
    metrics_span(SPAN_RUN, device, (double)(change->finished_ms - change->started_ms) / 1e3);
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
    count_committed(queue);
    if (transition->started) {
        transition->started->uncommitted = false;
        pthread_cond_signal(&transition->started->wake);
    }
    if (transition->ended)
        entry_free(transition->ended, sweep_ended);
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; i < write->change_count; i++) {
        const struct store_change *change = &write->changes[i];
        if (!failed && job_state_ended(change->state))
            count_end(transition->device, change);
        if (!failed)
            transition_notify(queue, change->id, change->state);
        else
            log_error("experiment %s is %s, and the store %s: %s", change->id, job_state_name(change->state),
                      failed->kind == ERROR_UNCERTAIN ? "may not have recorded it" : "has not recorded it",
                      failed->text);
    }
    transition_notify_sweep(queue, sweep_ended);
    if (failed && transition->report)
        error_set(transition->report, failed->kind, "%s", failed->text);
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
struct store_about transition_about(const struct entry *entry)
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
    change->about = transition_about(entry);
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
}

void transition_lose(struct transition *transition, int attempt, int device, const char *reason)
{
    snprintf(transition->lost_reason, sizeof transition->lost_reason, "%s", reason);
    transition->lost = (struct store_lost){attempt, device, clock_wall_ms(), transition->lost_reason};
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
    transition->queue->uncommitted++;
    store_hand_over(transition->queue->store, &transition->write);
}

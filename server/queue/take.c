/* The workers' side: one a device takes, ends, hands back and waits. */
#include "server/queue/transition.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/clock.h"
#include "server/queue/entries/place.h"
#include "server/store/store.h"

/* A disk that fails is looked at again after so long; and so many changes may wait for one that is slow. */
enum { STORE_LOOK_MS = 200, UNSAVED_MOST = 256 };

/* What is looked ahead at while other owners wait: counting it takes about as long as the runs, and they wait for it. */
enum { AHEAD_SHARED = 3, AHEAD_KEPT = 2 * PROTOCOL_POINTS };

/* With the lock held: may another one begin? What is run while the store cannot write would only be kept in memory. */
static bool queue_saves(struct queue *queue)
{
    return queue->unsaved < UNSAVED_MOST && store_healthy(queue->store, NULL);
}

/* How a run ended must not be lost for want of some hundred bytes: waits until there are some. */
static struct transition *transition_need(struct queue *queue, const struct ending *ending)
{
    struct transition *transition;
    while (!(transition = transition_new(queue, ending)))
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    transition->write.patient = true;
    return transition;
}

/* Of what the device runs, until now. */
static double device_took_s(struct queue *queue, const struct device_queue *device)
{
    return (double)(queue_now_ns(queue) - device->running->started_ns) / 1e9;
}

static void device_end(struct queue *queue, int index, struct transition *transition,
                       const struct ending *ending)
{
    struct device_queue *device = &queue->devices[index];
    struct entry *entry = device->running;
    assert(entry);
    double took_s = device_took_s(queue, device);
    if (ending->state != JOB_CANCELLED) {
        pace_add(&device->pace, took_s);
        pace_add(&entry->owner->lines[index].pace, took_s);
    }
    transition_charge(transition, entry->owner, took_s);
    device->busy_ns += queue_now_ns(queue) - entry->started_ns;
    transition_end(transition, entry, ending->state);
    if (ending->result)
        transition->write.changes[0].result = transition->result;
    device->running = NULL;
}

static void device_take(struct queue *queue, int index, struct transition *transition)
{
    struct entry *entry = place_next(queue, index);
    if (!entry || queue->stopping || place_held(queue, index) || !queue_saves(queue))
        return;
    entry_unwait(queue, entry, RUNNING);
    entry->cancelled = false;
    entry->task.attempt++;
    entry->started_ms = clock_wall_ms();
    entry->started_ns = queue_now_ns(queue);
    entry->owner->served = ++queue->served;
    queue->devices[index].running = entry;
    struct store_change *change =
        transition_add(transition, entry->task.id, JOB_RUNNING, entry->task.attempt);
    change->started_ms = entry->started_ms;
}

const struct task *queue_turn(struct queue *queue, int index, const struct ending *ending)
{
    struct device_queue *device = &queue->devices[index];
    struct transition *transition = transition_need(queue, ending);
    pthread_mutex_lock(&queue->lock);
    if (ending)
        device_end(queue, index, transition, ending);
    assert(!device->running);
    device_take(queue, index, transition);
    const struct task *task = device->running ? &device->running->task : NULL;
    if (transition->write.change_count) {
        transition_hand_over(transition);
        transition = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(transition);
    return task;
}

static void hand_back(struct queue *queue, int index, bool counted, const char *how)
{
    struct device_queue *device = &queue->devices[index];
    struct transition *transition = transition_need(queue, NULL);
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = device->running;
    assert(entry);
    transition_charge(transition, entry->owner, device_took_s(queue, device));
    device->running = NULL;
    device->busy_ns += queue_now_ns(queue) - entry->started_ns;
    if (!counted)
        entry->task.attempt--;
    if (entry->cancelled) {
        error_set(&transition->failure, ERROR_CANCELLED, "cancelled while it ran");
        transition_end(transition, entry, JOB_CANCELLED);
    } else if (counted && entry->task.attempt >= queue->config.attempts) {
        error_set(&transition->failure, ERROR_ABANDONED, "given up after %d attempts%s%s",
                  entry->task.attempt, how ? "; at the last one " : "", how ? how : "");
        transition_end(transition, entry, JOB_FAILED);
    } else {
        entry_count(queue, entry, 1);
        entry_wait(queue, entry);
        transition_add(transition, entry->task.id, JOB_QUEUED, entry->task.attempt);
    }
    transition_hand_over(transition);
    pthread_mutex_unlock(&queue->lock);
}

void queue_hand_back(struct queue *queue, int index, bool counted)
{
    hand_back(queue, index, counted, NULL);
}

void queue_hand_back_lost(struct queue *queue, int index, const char *how)
{
    hand_back(queue, index, true, how);
}

/* As many as may be looked ahead at. With many owners the counts of one's would be forgotten before its next turn. */
static int ahead_most(const struct queue *queue, int index)
{
    int sharing = place_sharing(queue, index);
    int each = sharing > 1 ? AHEAD_KEPT / sharing - 1 : PROTOCOL_AHEAD;
    return sharing > 1 && each > AHEAD_SHARED ? AHEAD_SHARED : each;
}

void queue_ahead(struct queue *queue, int index, struct ahead *ahead)
{
    struct device_queue *device = &queue->devices[index];
    size_t bytes = 0;
    *ahead = (struct ahead){0};
    pthread_mutex_lock(&queue->lock);
    const struct entry *running = device->running;
    const struct group *group = running && !device->overrides ? running->group : NULL;
    struct order_node *line = running ? running->owner->lines[index].waiting : NULL;
    int most = ahead_most(queue, index);
    for (int place = 0; group && ahead->count < most; place++) {
        const struct entry *entry = (const struct entry *)order_at(line, place);
        if (!entry || entry->group != group || (bytes += strlen(entry->task.request)) > PROTOCOL_AHEAD_BYTES)
            break;
        char *request = strdup(entry->task.request);
        if (!request)
            break;
        ahead->at[ahead->count].request = request;
        memcpy(ahead->at[ahead->count++].id, entry->task.id, ID_BYTES);
    }
    pthread_mutex_unlock(&queue->lock);
}

static bool device_ready(struct queue *queue, int index)
{
    return queue->devices[index].waiting && !place_held(queue, index) && queue_saves(queue);
}

bool queue_wait(struct queue *queue, int index, int timeout_ms)
{
    struct device_queue *device = &queue->devices[index];
    int64_t end_ns = timeout_ms < 0 ? INT64_MAX : clock_monotonic_ns() + timeout_ms * 1000000LL;
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping && !(found = device_ready(queue, index))) {
        int64_t now_ns = clock_monotonic_ns(), wake_ns = end_ns;
        if (now_ns >= end_ns)
            break;
        /* Nobody tells when the disk takes writes again. */
        if (device->waiting && !place_held(queue, index) && wake_ns > now_ns + STORE_LOOK_MS * 1000000LL)
            wake_ns = now_ns + STORE_LOOK_MS * 1000000LL;
        if (wake_ns == INT64_MAX)
            pthread_cond_wait(&device->ready, &queue->lock);
        else
            pthread_cond_timedwait(&device->ready, &queue->lock,
                                   &(struct timespec){wake_ns / 1000000000, wake_ns % 1000000000});
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

bool queue_cancelled(struct queue *queue, int index)
{
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    bool cancelled = device->running && device->running->cancelled;
    pthread_mutex_unlock(&queue->lock);
    return cancelled;
}

int queue_wake_fd(struct queue *queue, int index)
{
    return queue->devices[index].wake_fd;
}

void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    for (int i = 0; i < queue->config.devices; i++) {
        pthread_cond_broadcast(&queue->devices[i].ready);
        eventfd_write(queue->devices[i].wake_fd, 1);
    }
    pthread_mutex_unlock(&queue->lock);
}

bool queue_stopping(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool stopping = queue->stopping;
    pthread_mutex_unlock(&queue->lock);
    return stopping;
}

/* The workers' side: one a device takes, ends, hands back and waits. */
#include "server/queue/transition.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/clock.h"
#include "server/queue/place.h"
#include "server/queue/listed_devices.h"
#include "server/store/store.h"

/* A disk that fails is looked at again after so long. */
enum { STORE_LOOK_MS = 200 };

/* So long is what a readier device could take at once left to it. */
enum { LEAVE_MS = 20 };

/* What is looked ahead at while other owners wait: counting it takes about as long as the runs, and they wait for it. */
enum { AHEAD_SHARED = 3, AHEAD_KEPT = 2 * PROTOCOL_POINTS };

/* With the lock held: may another one begin? What is run while the store cannot write would only be kept in memory. */
static bool queue_saves(struct queue *queue)
{
    return queue->unsaved < queue->unsaved_most && store_healthy(queue->store, NULL);
}

/* A moment, in which others may give memory back. */
static void memory_wait(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* How a run ended must not be lost for want of some hundred bytes: waits until there are some. */
static struct transition *transition_need(struct queue *queue, const struct ending *ending)
{
    struct transition *transition;
    while (!(transition = transition_new(queue, ending)))
        memory_wait();
    transition->write.patient = true;
    return transition;
}

/* Of what the device runs, until now. */
static double device_took_s(struct queue *queue, const struct device_queue *device)
{
    return (double)(queue_now_ns(queue) - device->running->started_ns) / 1e9;
}

/* What ran there does so no more. */
static void device_free(struct queue *queue, int index)
{
    struct device_queue *device = &queue->devices[index];
    device->busy_ns += queue_now_ns(queue) - device->running->started_ns;
    LIST_REMOVE(device->running, running);
    device->running = NULL;
    queue_note(queue, index);
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
        pace_add(&queue->pace, took_s);
        pace_add(&owner_at(entry->owner, index)->pace, took_s);
        pace_add(&entry->owner->pace, took_s);
    }
    transition_charge(transition, entry->owner, took_s);
    device_free(queue, index);
    transition_end(transition, entry, ending->state);
    if (ending->result)
        transition->write.changes[0].result = transition->result;
    transition->write.changes[0].samples = &transition->samples;
}

/* It goes to that device, with all of its sweep that is bound to none unless that is spread. True: it alone. */
static bool entry_bind(struct transition *transition, struct entry *entry, int index)
{
    struct group *group = entry->group;
    entry->task.device = index;
    if (!entry_unbound(entry) || !group || group->spread)
        return entry_unbound(entry);
    for (struct entry *one = group->entries; one; one = one->group_next) {
        if (!entry_unbound(one))
            continue;
        bool waits = one->phase == WAITING;
        if (waits)
            entry_pull(one);
        entry_move(one, queue_bound(transition->queue, one->owner, index));
        one->task.device = index;
        if (waits)
            entry_wait(transition->queue, one);
    }
    memcpy(transition->bind.sweep, group->id, ID_BYTES);
    transition->bind.device = index;
    transition->write.bind = &transition->bind;
    return false;
}

/* What else waits may be for somebody who left it to this device. */
static void others_wake(struct queue *queue, int index)
{
    const struct device_group *device_group;
    LIST_FOREACH (device_group, &queue->device_groups, next)
        if (device_group->waiting && device_set_has(&device_group->devices, index))
            queue_wake(queue, &device_group->devices);
}

/* Might what is taken there still run for the service before this one? */
static bool device_outlived(struct queue *queue, int index)
{
    if (!device_set_has(&queue->outlived, index))
        return false;
    if (clock_monotonic_ns() < queue->outlived_ns)
        return true;
    device_set_remove(&queue->outlived, index);
    queue_note(queue, index);
    return false;
}

/* False: there is no memory for what it would take. */
static bool device_take(struct queue *queue, int index, struct transition *transition)
{
    if (queue->stopping || place_held(queue, index) || device_outlived(queue, index) ||
        !device_set_has(&queue->present, index) || !queue_saves(queue))
        return true;
    struct entry *entry = place_next(queue, index);
    if (!entry)
        return true;
    /* From here on the owner has a record of the device, which what follows relies on. */
    if (!queue_bound(queue, entry->owner, index))
        return false;
    entry_unwait(queue, entry, RUNNING);
    entry->task.attempt++;
    entry->started_ms = clock_wall_ms();
    entry->started_ns = queue_now_ns(queue);
    entry->owner->served = ++queue->served;
    queue->devices[index].running = entry;
    queue->devices[index].begins = true;
    transition->begins = &queue->devices[index];
    LIST_INSERT_HEAD(&entry->owner->running, entry, running);
    queue_note(queue, index);
    bool moved = entry_bind(transition, entry, index);
    entry->task.sweep = entry->group ? entry->group->id : NULL;
    entry->task.owner = entry->owner->name;
    struct store_change *change = transition_add(transition, entry, JOB_RUNNING);
    change->started_ms = entry->started_ms;
    change->moved = moved;
    others_wake(queue, index);
    return true;
}

const struct task *queue_turn(struct queue *queue, int index, const struct ending *ending)
{
    struct device_queue *device = &queue->devices[index];
    struct transition *transition = transition_need(queue, ending);
    pthread_mutex_lock(&queue->lock);
    if (ending)
        device_end(queue, index, transition, ending);
    assert(!device->running);
    bool had_memory = device_take(queue, index, transition);
    const struct task *task = device->running ? &device->running->task : NULL;
    if (transition->write.change_count) {
        transition_hand_over(transition);
        transition = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(transition);
    if (!had_memory) /* queue_wait() finds the same at once */
        memory_wait();
    return task;
}

bool queue_begun(struct queue *queue, int index)
{
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    while (device->begins && !queue->stopping)
        pthread_cond_wait(&device->ready, &queue->lock);
    bool begun = !device->begins;
    pthread_mutex_unlock(&queue->lock);
    return begun;
}

static void hand_back(struct queue *queue, int index, bool counted, const char *how)
{
    struct device_queue *device = &queue->devices[index];
    struct transition *transition = transition_need(queue, NULL);
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = device->running;
    assert(entry);
    int attempt = entry->task.attempt;
    transition_charge(transition, entry->owner, device_took_s(queue, device));
    device_free(queue, index);
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
        if (entry_unbound(entry))
            entry->task.device = -1;
        entry_count(queue, entry, 1);
        entry_wait(queue, entry);
        transition_add(transition, entry, JOB_QUEUED)->moved = entry_unbound(entry);
    }
    if (how)
        transition_lose(transition, &transition->write.changes[0], attempt, index, how);
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

void queue_give_back(struct queue *queue, int index, const char *how)
{
    hand_back(queue, index, false, how);
}

/* How many owners have something waiting that may run on the device. */
static int sharing_count(const struct queue *queue, int device)
{
    int sharing = 0;
    const struct owner *owner;
    LIST_FOREACH (owner, &queue->owners.all, next) {
        struct device_set devices = owner_devices(owner);
        sharing += device_set_has(&devices, device);
    }
    return sharing;
}

/* As many as may be looked ahead at. With many owners the counts of one's would be forgotten before its next turn. */
static int ahead_most(const struct queue *queue, int index)
{
    int sharing = sharing_count(queue, index);
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
    const struct group *group =
        running && !running->owner_queue->device_group->overrides ? running->group : NULL;
    struct order_node *owner_queue = running ? running->owner_queue->waiting : NULL;
    int most = ahead_most(queue, index);
    for (int place = 0; group && ahead->count < most; place++) {
        const struct entry *entry = (const struct entry *)order_at(owner_queue, place);
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

static enum wanted device_wanted(struct queue *queue, int index)
{
    const struct device_queue *device = &queue->devices[index];
    if (!device_set_has(&queue->present, index) || place_held(queue, index) ||
        device->readiness == QUEUE_OUT || device_outlived(queue, index))
        return WANTED_NOT;
    return place_wanted(queue, index);
}

static void device_sleep(struct queue *queue, int index, int64_t wake_ns)
{
    struct device_queue *device = &queue->devices[index];
    device_set_add(&queue->sleeping, index);
    if (wake_ns == INT64_MAX)
        pthread_cond_wait(&device->ready, &queue->lock);
    else
        pthread_cond_timedwait(&device->ready, &queue->lock,
                               &(struct timespec){wake_ns / 1000000000, wake_ns % 1000000000});
    device_set_remove(&queue->sleeping, index);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool queue_wait(struct queue *queue, int index, int timeout_ms)
{
    struct device_queue *device = &queue->devices[index];
    int64_t end_ns = timeout_ms < 0 ? INT64_MAX : clock_monotonic_ns() + timeout_ms * 1000000LL;
    int64_t left_ns = INT64_MAX; /* until then something is left to others */
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping) {
        bool selected = selection_make_wanted(queue);
        int64_t now_ns = clock_monotonic_ns(), wake_ns = end_ns;
        enum wanted wanted = device_wanted(queue, index);
        if (wanted != WANTED_ELSEWHERE)
            left_ns = INT64_MAX;
        else if (device->readiness != QUEUE_AWAY)
            left_ns = earlier(left_ns, now_ns + LEAVE_MS * 1000000LL);
        if (now_ns >= left_ns)
            wanted = WANTED_HERE;
        found = wanted == WANTED_HERE && queue_saves(queue);
        if (found || now_ns >= end_ns)
            break;
        /* Nobody tells when the disk takes writes again. */
        if (wanted == WANTED_HERE)
            wake_ns = earlier(wake_ns, now_ns + STORE_LOOK_MS * 1000000LL);
        else
            wake_ns = earlier(wake_ns, left_ns);
        if (device_set_has(&queue->outlived, index))
            wake_ns = earlier(wake_ns, queue->outlived_ns);
        /* By others, while this one was made; or there was no memory for it. */
        if (queue->selection_wanted)
            wake_ns = selected ? now_ns : earlier(wake_ns, now_ns + STORE_LOOK_MS * 1000000LL);
        device_sleep(queue, index, wake_ns);
    }
    selection_leave(queue);
    if (found && device->readiness == QUEUE_AWAY)
        queue_ready(queue, index, QUEUE_STARTING);
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

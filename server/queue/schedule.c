#include "server/queue/schedule.h"

/* The mean when nothing is known, and its lower bound. */
static const double unknown_s = 1, least_s = 1e-6;

/* ---- durations ---- */

double schedule_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    const struct run_mean *mean = device < 0 ? &queue->run_mean : &queue->devices[device].run_mean;
    const struct owner_device *at = owner && device >= 0 ? SLIST_FIRST(&owner->devices) : NULL;
    while (at && at->device != device)
        at = SLIST_NEXT(at, next);
    if (at && at->run_mean.count)
        mean = &at->run_mean;
    else if (owner && device < 0 && owner->run_mean.count)
        mean = &owner->run_mean;
    if (!mean->count)
        return unknown_s;
    return mean->mean_s > least_s ? mean->mean_s : least_s;
}

double schedule_run_s(const struct queue *queue, const struct entry *running, int64_t now_ns)
{
    double so_far_s = (double)(now_ns - running->started_ns) / 1e9;
    double mean_s = schedule_mean_s(queue, running->owner, running->task.device);
    return so_far_s > mean_s ? so_far_s : mean_s;
}

double schedule_used_s(const struct queue *queue, const struct owner *owner, int64_t now_ns)
{
    double used_s = owner_used_s(owner, now_ns, queue->config.half_life_s);
    const struct entry *running;
    LIST_FOREACH (running, &owner->running, of_running)
        used_s += schedule_run_s(queue, running, now_ns);
    return used_s;
}

/* ---- the next experiment of a device ---- */

struct device_group *schedule_group_after(struct queue *queue, int device, struct device_group *group)
{
    if (!group)
        return &queue->devices[device].group;
    group = group->unbound ? LIST_NEXT(group, next) : LIST_FIRST(&queue->device_groups);
    while (group && !device_set_has(&group->devices, device))
        group = LIST_NEXT(group, next);
    return group;
}

struct entry *schedule_next(struct queue *queue, int device)
{
    struct order_node *first = NULL;
    struct device_group *group = NULL;
    while ((group = schedule_group_after(queue, device, group))) {
        struct order_node *override = order_first(group->overrides);
        if (override && (!first || order_before(override, first)))
            first = override;
    }
    if (first)
        return (struct entry *)first;
    const struct owner_queue *owner_queue;
    struct device_share least = {0}; /* of the owner of `first` */
    int64_t now_ns = queue_state_now_ns(queue);
    while ((group = schedule_group_after(queue, device, group)))
        LIST_FOREACH (owner_queue, &group->owner_queues, of_group) {
            const struct owner *owner = owner_queue->owner;
            struct order_node *own = order_first(owner_queue->waiting);
            struct device_share share = {.name = owner->name, .served = owner->served};
            if (!own)
                continue;
            if (first && least.name == owner->name) {
                first = order_before(own, first) ? own : first;
                continue;
            }
            share.used_s = schedule_used_s(queue, owner, now_ns);
            if (!first || device_share_before(&share, &least)) {
                first = own;
                least = share;
            }
        }
    return (struct entry *)first;
}

/* ---- which device ---- */

bool schedule_held(const struct queue *queue, int device)
{
    return queue->hold.held || queue->devices[device].hold.held;
}

/* How many other devices of the group take of its work before that device needs to. */
static int readier_count(const struct queue *queue, const struct device_group *group, int device)
{
    enum queue_readiness own = queue->devices[device].readiness;
    int count = 0;
    for (int readier = own < QUEUE_COLD ? QUEUE_COLD : own + 1; readier < QUEUE_READINESS; readier++) {
        struct device_set idle = device_set_both(&queue->idle[readier], &group->devices);
        count += device_set_count(&idle);
    }
    if (own != QUEUE_AWAY && own != QUEUE_STARTING)
        return count;
    struct device_set starting = device_set_both(&queue->idle[QUEUE_STARTING], &group->devices);
    device_set_remove(&starting, device);
    for (int i = -1; (i = device_set_next(&starting, i + 1)) >= 0;)
        count += own == QUEUE_AWAY || queue->devices[i].start_rank < queue->devices[device].start_rank;
    return count;
}

enum schedule_need schedule_need(struct queue *queue, int device)
{
    enum schedule_need need = NEED_NONE;
    struct device_group *group = NULL;
    while ((group = schedule_group_after(queue, device, group))) {
        if (!group->waiting)
            continue;
        if (!group->unbound || group->work_items > readier_count(queue, group, device))
            return NEED_HERE;
        need = NEED_ELSEWHERE;
    }
    return need;
}

void schedule_update_idle(struct queue *queue, int index)
{
    const struct device_queue *device = &queue->devices[index];
    for (int readiness = 0; readiness < QUEUE_READINESS; readiness++)
        device_set_remove(&queue->idle[readiness], index);
    if (device_set_has(&queue->listed, index) && !device_set_has(&queue->outlived, index) &&
        !device->running && !device->hold.held)
        device_set_add(&queue->idle[device->readiness], index);
}

void schedule_set_readiness(struct queue *queue, int index, enum queue_readiness readiness)
{
    struct device_queue *device = &queue->devices[index];
    if (readiness == QUEUE_STARTING && device->readiness != QUEUE_STARTING)
        device->start_rank = ++queue->start_rank;
    device->readiness = readiness;
    schedule_update_idle(queue, index);
}

/* The device that began to start first; -1: the set is empty. */
static int started_first(const struct queue *queue, const struct device_set *devices)
{
    int first = device_set_next(devices, 0);
    for (int i = first; i >= 0; i = device_set_next(devices, i + 1))
        if (queue->devices[i].start_rank < queue->devices[first].start_rank)
            first = i;
    return first;
}

void schedule_wake(struct queue *queue, const struct device_set *devices)
{
    for (int readiness = QUEUE_READINESS - 1; readiness > QUEUE_OUT; readiness--) {
        struct device_set asleep = device_set_both(&queue->idle[readiness], devices);
        asleep = device_set_both(&asleep, &queue->sleeping);
        int device =
            readiness == QUEUE_STARTING ? started_first(queue, &asleep) : device_set_next(&asleep, 0);
        if (device < 0)
            continue;
        /* Woken once: the next experiment wakes another worker. */
        device_set_remove(&queue->sleeping, device);
        pthread_cond_signal(&queue->devices[device].wake);
        return;
    }
}

void schedule_wake_groups(struct queue *queue, int device)
{
    struct device_group *group = &queue->devices[device].group;
    while ((group = schedule_group_after(queue, device, group)))
        if (group->waiting)
            schedule_wake(queue, &group->devices);
}

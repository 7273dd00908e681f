#include "server/queue/schedule.h"

#include <math.h>

/* The mean when nothing is known, and its lower bound. */
static const double unknown_s = 1, least_s = 1e-6;

double schedule_bytes_s(const struct queue *queue, const struct owner *owner, int device, double bytes)
{
    const struct run_mean *mean = device < 0 ? &queue->run_mean : &queue->devices[device].run_mean;
    const struct owner_device *at = owner ? SLIST_FIRST(&owner->devices) : NULL;
    while (at && at->device != device)
        at = SLIST_NEXT(at, next);
    if (at && at->run_mean.count)
        mean = &at->run_mean;
    if (!mean->count)
        return unknown_s;
    return fmax(run_mean_expected_s(mean, bytes), least_s);
}

double schedule_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    return schedule_bytes_s(queue, owner, device,
                            owner && owner->waiting ? owner->array_bytes / owner->waiting : 0);
}

double schedule_entry_s(const struct queue *queue, const struct entry *entry)
{
    return schedule_bytes_s(queue, entry->owner, entry->task.device, entry->task.array_bytes);
}

double schedule_run_s(const struct queue *queue, const struct entry *running, int64_t now_ns)
{
    double so_far_s = (double)(now_ns - running->started_ns) / 1e9;
    double whole_s = schedule_entry_s(queue, running);
    return so_far_s > whole_s ? 1.5 * so_far_s : whole_s;
}

double schedule_used_s(const struct queue *queue, const struct owner *owner, int64_t now_ns)
{
    double used_s = owner_used_s(owner, now_ns, queue->config.half_life_s);
    const struct entry *running;
    LIST_FOREACH (running, &owner->running, of_running)
        used_s += schedule_run_s(queue, running, now_ns);
    return used_s;
}

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

bool schedule_held(const struct queue *queue, int device)
{
    return queue->hold.held || queue->devices[device].hold.held;
}

static bool device_idle(const struct queue *queue, int device)
{
    return device_set_has(&queue->listed, device) && !device_set_has(&queue->outlived, device) &&
           !queue->devices[device].running && !queue->devices[device].hold.held;
}

/* Of devices that are being started, the one that began first. */
static bool is_readier(const struct device_queue *a, const struct device_queue *b)
{
    if (a->readiness == QUEUE_STARTING && b->readiness == QUEUE_STARTING)
        return a->start_rank < b->start_rank;
    return a->readiness > b->readiness;
}

/* How many other devices of the group take of its work before that device needs to. */
static int readier_count(const struct queue *queue, const struct device_group *group, int device)
{
    int count = 0;
    for (int i = -1; (i = device_set_next(&group->devices, i + 1)) >= 0;)
        count += device_idle(queue, i) && is_readier(&queue->devices[i], &queue->devices[device]);
    return count;
}

enum schedule_need schedule_need(struct queue *queue, int device)
{
    enum schedule_need need = NEED_NONE;
    struct device_group *group = NULL;
    while ((group = schedule_group_after(queue, device, group))) {
        if (!group->ages)
            continue;
        if (!group->unbound || group->work_items > readier_count(queue, group, device))
            return NEED_HERE;
        need = NEED_ELSEWHERE;
    }
    return need;
}

void schedule_set_readiness(struct queue *queue, int index, enum queue_readiness readiness)
{
    struct device_queue *device = &queue->devices[index];
    if (readiness == QUEUE_STARTING && device->readiness != QUEUE_STARTING)
        device->start_rank = ++queue->start_rank;
    device->readiness = readiness;
}

void schedule_wake(struct queue *queue, const struct device_set *devices)
{
    struct device_set asleep = device_set_both(&queue->sleeping, devices);
    int best = -1;
    for (int i = -1; (i = device_set_next(&asleep, i + 1)) >= 0;)
        if (queue->devices[i].readiness > QUEUE_OUT && device_idle(queue, i) &&
            (best < 0 || is_readier(&queue->devices[i], &queue->devices[best])))
            best = i;
    if (best < 0)
        return;
    /* Woken once: the next experiment wakes another worker. */
    device_set_remove(&queue->sleeping, best);
    pthread_cond_signal(&queue->devices[best].wake);
}

void schedule_wake_groups(struct queue *queue, int device)
{
    struct device_group *group = &queue->devices[device].group;
    while ((group = schedule_group_after(queue, device, group)))
        if (group->ages)
            schedule_wake(queue, &group->devices);
}

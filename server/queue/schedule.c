#include "server/queue/schedule.h"

/* The mean when nothing is known, and its lower bound. */
static const double unknown_s = 1, least_s = 1e-6;

/* ---- durations ---- */

static double mean_or(const struct run_mean *mean, double otherwise_s)
{
    if (!mean->count)
        return otherwise_s;
    return mean->mean_s > least_s ? mean->mean_s : least_s;
}

double schedule_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    if (device < 0) {
        double all_s = mean_or(&queue->run_mean, unknown_s);
        return owner ? mean_or(&owner->run_mean, all_s) : all_s;
    }
    double all_s = mean_or(&queue->devices[device].run_mean, unknown_s);
    const struct owner_device *at = owner ? owner_at_device(owner, device) : NULL;
    return at ? mean_or(&at->run_mean, all_s) : all_s;
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

/* The owner that is next, of those looked at so far, and its queue. */
struct candidate {
    const struct owner_queue *owner_queue; /* NULL: none */
    struct device_share share;
};

static void candidate_update(const struct queue *queue, const struct device_group *group, int64_t now_ns,
                             struct candidate *best)
{
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &group->owner_queues, of_group) {
        const struct owner *owner = owner_queue->owner;
        if (!owner_queue->waiting)
            continue;
        if (best->owner_queue && best->owner_queue->owner == owner) {
            if (order_before(order_first(owner_queue->waiting), order_first(best->owner_queue->waiting)))
                best->owner_queue = owner_queue;
            continue;
        }
        struct device_share share = {
            .name = owner->name, .used_s = schedule_used_s(queue, owner, now_ns), .served = owner->served};
        if (!best->owner_queue || device_share_before(&share, &best->share))
            *best = (struct candidate){owner_queue, share};
    }
}

struct entry *schedule_next(struct queue *queue, int device)
{
    struct order_node *override = NULL;
    struct device_group *group = NULL;
    while ((group = schedule_group_after(queue, device, group))) {
        struct order_node *first = order_first(group->overrides);
        if (first && (!override || order_before(first, override)))
            override = first;
    }
    if (override)
        return (struct entry *) override;
    struct candidate best = {0};
    int64_t now_ns = queue_state_now_ns(queue);
    while ((group = schedule_group_after(queue, device, group)))
        if (group->waiting)
            candidate_update(queue, group, now_ns, &best);
    return best.owner_queue ? (struct entry *)order_first(best.owner_queue->waiting) : NULL;
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

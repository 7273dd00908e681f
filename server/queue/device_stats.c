/* What is told of a device: its depth, its owners. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/queue/place.h"

/* The older one of a set's oldest and this. */
static const char *older_id(const struct device_group *device_group, const char *id)
{
    const struct order_node *oldest = order_first(device_group->ages);
    return oldest && (!id || strcmp(oldest->id, id) < 0) ? oldest->id : id;
}

static void depth_waiting(const struct queue *queue, int index, struct queue_depth *depth)
{
    const struct device_group *own = &queue->devices[index].own, *device_group;
    const char *id = older_id(own, NULL);
    depth->queued = depth->bound = own->waiting;
    LIST_FOREACH (device_group, &queue->device_groups, next) {
        if (!device_set_has(&device_group->devices, index))
            continue;
        depth->queued += device_group->waiting;
        id = older_id(device_group, id);
    }
    double age_s = id ? (double)(clock_wall_ms() - id_ms(id)) / 1e3 : 0;
    depth->oldest_s = age_s > 0 ? age_s : 0;
}

void queue_depth(struct queue *queue, int index, struct queue_depth *depth)
{
    *depth = (struct queue_depth){.mean_s = -1};
    if (index < 0 || index >= queue->config.devices)
        return;
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    depth_waiting(queue, index, depth);
    depth->mean_s = place_pace_s(&device->pace, -1);
    depth->hold = device->hold;
    int64_t busy_ns = device->busy_ns;
    if (device->running)
        busy_ns += queue_now_ns(queue) - device->running->started_ns;
    depth->busy_s = (double)busy_ns / 1e9;
    if (device->running)
        memcpy(depth->running, device->running->task.id, ID_BYTES);
    pthread_mutex_unlock(&queue->lock);
}

int queue_waiting(struct queue *queue)
{
    int waiting = 0;
    const struct device_group *device_group;
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < queue->config.devices; i++)
        waiting += queue->devices[i].own.waiting;
    LIST_FOREACH (device_group, &queue->device_groups, next)
        waiting += device_group->waiting;
    pthread_mutex_unlock(&queue->lock);
    return waiting;
}

char *queue_sweep_next(struct queue *queue, const char *id, int *device)
{
    const struct entry *next = NULL;
    bool runs = false;
    pthread_mutex_lock(&queue->lock);
    const struct group *group = group_find(queue, id);
    for (const struct entry *entry = group ? group->entries : NULL; entry; entry = entry->group_next) {
        runs |= entry->phase == RUNNING;
        if (entry->phase == WAITING && (!next || order_before(&entry->order, &next->order)))
            next = entry;
    }
    char *request = next && !runs ? strdup(next->task.request) : NULL;
    *device = next ? next->task.device : -1;
    pthread_mutex_unlock(&queue->lock);
    return request;
}

double queue_next_s(struct queue *queue, int index, const char *name)
{
    int before = 0, overrides = 0;
    if (index < 0 || index >= queue->config.devices)
        return -1;
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(&queue->owners, name);
    if (owner)
        place_waiting(queue, owner, index, &before, &overrides);
    double ahead_s = place_at_device(queue, owner, index, before).ahead_s;
    pthread_mutex_unlock(&queue->lock);
    return ahead_s;
}

/* ---- its owners ---- */

static int owners_compare(const void *a, const void *b)
{
    const struct queue_owner *one = a, *other = b;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* When the first and the last of what an owner has waiting have their turns. */
static void owner_place(struct queue *queue, int index, struct queue_owner *told)
{
    const struct owner *owner = owner_find(&queue->owners, told->name);
    const struct order_node *first = NULL;
    const struct owner_queue *owner_queue;
    int count, overrides;
    place_waiting(queue, owner, index, &count, &overrides);
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        const struct order_node *node = order_first(owner_queue->waiting);
        if (node && device_set_has(&owner_queue->device_group->devices, index) &&
            (!first || order_before(node, first)))
            first = node;
    }
    if (!first)
        return;
    memcpy(told->next, first->id, ID_BYTES);
    struct queue_place last = place_at_device(queue, owner, index, count - 1);
    told->begins_s = place_at_device(queue, owner, index, 0).ahead_s;
    told->ends_s = last.ahead_s < 0 || last.own_s < 0 ? -1 : last.ahead_s + last.own_s;
}

int queue_owners(struct queue *queue, int index, struct queue_owner **out)
{
    const struct owner *owner;
    int count = 0;
    double all_s = 0;
    pthread_mutex_lock(&queue->lock);
    int64_t now_ns = queue_now_ns(queue);
    const struct entry *running = queue->devices[index].running;
    LIST_FOREACH (owner, &queue->owners.all, next)
        all_s += owner_used(owner, now_ns, queue->config.half_life_s);
    struct queue_owner *owners = *out = calloc((size_t)queue->owners.count + 1, sizeof *owners);
    LIST_FOREACH (owner, &queue->owners.all, next) {
        if (!owners)
            break;
        struct queue_owner *one = &owners[count];
        int waiting, overrides;
        place_waiting(queue, owner, index, &waiting, &overrides);
        one->queued = waiting + overrides;
        one->running = running && running->owner == owner;
        one->share = all_s > 0 ? owner_used(owner, now_ns, queue->config.half_life_s) / all_s : 0;
        one->begins_s = one->ends_s = -1;
        memcpy(one->name, owner->name, sizeof one->name);
        count += one->queued || one->running;
    }
    if (owners)
        qsort(owners, (size_t)count, sizeof *owners, owners_compare);
    for (int i = 0; owners && i < count && i < QUEUE_OWNERS_PLACED; i++)
        owner_place(queue, index, &owners[i]);
    pthread_mutex_unlock(&queue->lock);
    return owners ? count : -1;
}

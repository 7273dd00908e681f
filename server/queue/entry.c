#include "server/queue/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int64_t queue_now_ns(const struct queue *queue)
{
    return queue->config.now_ns ? queue->config.now_ns() : clock_monotonic_ns();
}

struct owner *queue_owner(struct queue *queue, const char *name)
{
    struct owner *owner = owner_find(&queue->owners, name ? name : "");
    return owner ? owner : owner_add(&queue->owners, name ? name : "");
}

void queue_note(struct queue *queue, int index)
{
    const struct device_queue *device = &queue->devices[index];
    for (int readiness = 0; readiness < QUEUE_READINESS; readiness++)
        device_set_remove(&queue->idle[readiness], index);
    if (device_set_has(&queue->present, index) && !device_set_has(&queue->outlived, index) &&
        !device->running && !device->hold.held)
        device_set_add(&queue->idle[device->readiness], index);
}

void queue_saved(struct queue *queue)
{
    if (queue->unsaved-- != queue->unsaved_most)
        return;
    for (int i = -1; (i = device_set_next(&queue->sleeping, i + 1)) >= 0;)
        pthread_cond_signal(&queue->devices[i].ready);
}

void queue_ready(struct queue *queue, int index, enum queue_readiness readiness)
{
    struct device_queue *device = &queue->devices[index];
    if (readiness == QUEUE_STARTING && device->readiness != QUEUE_STARTING)
        device->started = ++queue->starts;
    device->readiness = readiness;
    queue_note(queue, index);
}

/* The one that was started first; -1: the set is empty. */
static int started_first(const struct queue *queue, const struct device_set *devices)
{
    int first = device_set_next(devices, 0);
    for (int i = first; i >= 0; i = device_set_next(devices, i + 1))
        if (queue->devices[i].started < queue->devices[first].started)
            first = i;
    return first;
}

void queue_wake(struct queue *queue, const struct device_set *devices)
{
    for (int readiness = QUEUE_READINESS - 1; readiness > QUEUE_OUT; readiness--) {
        struct device_set ready = device_set_both(&queue->idle[readiness], devices);
        ready = device_set_both(&ready, &queue->sleeping);
        int device = readiness == QUEUE_STARTING ? started_first(queue, &ready) : device_set_next(&ready, 0);
        if (device < 0)
            continue;
        /* Not twice: what comes next is for another. */
        device_set_remove(&queue->sleeping, device);
        pthread_cond_signal(&queue->devices[device].ready);
        return;
    }
}

/* ---- the index ---- */

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

static struct entry **entry_chain(struct queue *queue, const char *id)
{
    return &queue->chains[id_hash(id) & queue->chain_mask];
}

struct entry *entry_find(struct queue *queue, const char *id)
{
    struct entry *entry = *entry_chain(queue, id);
    while (entry && strcmp(entry->task.id, id) != 0)
        entry = entry->chain;
    return entry;
}

void entry_enter(struct queue *queue, struct entry *entry)
{
    struct entry **chain = entry_chain(queue, entry->task.id);
    entry->chain = *chain;
    *chain = entry;
}

void entry_count(struct queue *queue, const struct entry *entry, int count)
{
    queue->queued += count;
    owner_count(entry->owner, count, entry->task.timeout_s);
}

int entry_line(struct queue *queue, struct entry *entry, struct owner *owner,
               const struct device_set *devices)
{
    int device = entry->task.device;
    struct owner_queue *owner_queue = device >= 0 ? queue_bound(queue, owner, device)
                                                  : owner_unbound(owner, &queue->device_groups, devices);
    if (!owner_queue)
        return -1;
    entry->owner = owner;
    entry->owner_queue = owner_queue;
    owner_queue_join(owner_queue, &entry->owner->owner_queues);
    return 0;
}

void entry_move(struct entry *entry, struct owner_queue *owner_queue)
{
    struct owner_queue *before = entry->owner_queue;
    owner_queue_join(owner_queue, &entry->owner->owner_queues);
    entry->owner_queue = owner_queue;
    owner_queue_leave(before);
}

/* Where it waits: among the set's overrides or in its owner's owner queue. */
static struct order_node **entry_order(struct entry *entry, int count)
{
    struct owner_queue *owner_queue = entry->owner_queue;
    bool override = entry->order.priority >= PRIORITY_OVERRIDE;
    owner_queue->device_group->waiting += count;
    *(override ? &owner_queue->overrides : &owner_queue->count) += count;
    return override ? &owner_queue->device_group->overrides : &owner_queue->waiting;
}

/* Is it the first, or the last, of a piece of work? What of a sweep goes to one device together is one. */
static bool entry_is_piece(struct entry *entry, int count)
{
    struct group *group = entry->group;
    if (!group || group->spread || !entry_unbound(entry))
        return true;
    group->waiting += count;
    return group->waiting == (count > 0);
}

void entry_wait(struct queue *queue, struct entry *entry)
{
    struct device_group *device_group = entry->owner_queue->device_group;
    entry->phase = WAITING;
    order_insert(entry_order(entry, 1), &entry->order, entry->task.id, entry->order.priority);
    order_insert(&device_group->ages, &entry->age, entry->task.id, 0);
    device_group->work_items += entry_is_piece(entry, 1);
    queue_wake(queue, &device_group->devices);
}

void entry_pull(struct entry *entry)
{
    struct device_group *device_group = entry->owner_queue->device_group;
    order_remove(entry_order(entry, -1), &entry->order);
    order_remove(&device_group->ages, &entry->age);
    device_group->work_items -= entry_is_piece(entry, -1);
}

void entry_unwait(struct queue *queue, struct entry *entry, int phase)
{
    entry_pull(entry);
    entry->phase = phase;
    entry_count(queue, entry, -1);
}

/* ---- groups ---- */

struct group *group_find(struct queue *queue, const char *id)
{
    struct group *group = queue->groups;
    while (group && strcmp(group->id, id) != 0)
        group = group->next;
    return group;
}

struct group *group_new(const char *id, bool spread)
{
    struct group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    memcpy(group->id, id, ID_BYTES);
    group->spread = spread;
    return group;
}

void group_enter(struct queue *queue, struct group *group)
{
    group->next = queue->groups;
    if (group->next)
        group->next->previous = group;
    queue->groups = group;
}

static void group_end(struct queue *queue, struct group *group)
{
    if (group->previous)
        group->previous->next = group->next;
    else
        queue->groups = group->next;
    if (group->next)
        group->next->previous = group->previous;
    free(group);
}

void group_join(struct group *group, struct entry *entry)
{
    entry->group = group;
    entry->group_next = group->entries;
    if (entry->group_next)
        entry->group_next->group_previous = entry;
    group->entries = entry;
    group->left++;
}

/* True when that was the last one, and the group is no more. */
static bool group_part(struct queue *queue, struct entry *entry)
{
    struct group *group = entry->group;
    if (entry->group_previous)
        entry->group_previous->group_next = entry->group_next;
    else
        group->entries = entry->group_next;
    if (entry->group_next)
        entry->group_next->group_previous = entry->group_previous;
    entry->group = NULL;
    if (--group->left)
        return false;
    group_end(queue, group);
    return true;
}

bool entry_leave(struct queue *queue, struct entry *entry, char sweep[ID_BYTES])
{
    struct entry **link = entry_chain(queue, entry->task.id);
    while (*link != entry)
        link = &(*link)->chain;
    *link = entry->chain;
    owner_queue_leave(entry->owner_queue);
    if (!entry->group)
        return false;
    memcpy(sweep, entry->group->id, ID_BYTES);
    return group_part(queue, entry);
}

#include "server/queue/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "server/queue/schedule.h"

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
                                          ? owner_queue_bound(owner, device, &queue->devices[device].group)
                                          : owner_queue_unbound(owner, &queue->device_groups, devices);
    if (!owner_queue)
        return -1;
    entry->owner = owner;
    entry->owner_queue = owner_queue;
    owner_queue_join(owner_queue);
    return 0;
}

/* ---- the index ---- */

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

void entry_insert(struct queue *queue, struct entry *entry)
{
    LIST_INSERT_HEAD(index_chain(queue, entry->task.id), entry, of_chain);
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
    free(entry);
}

/* ---- waiting ---- */

void entry_count(struct queue *queue, const struct entry *entry, int count)
{
    queue->queued += count;
    owner_count(entry->owner, count, entry->task.timeout_s);
}

/* The tree in which it waits; counts it in its owner queue and device group, or with -1 no longer. */
static struct order_node **waiting_tree(struct entry *entry, int count)
{
    struct owner_queue *owner_queue = entry->owner_queue;
    bool override = entry->order.priority >= PRIORITY_OVERRIDE;
    owner_queue->device_group->waiting += count;
    *(override ? &owner_queue->overrides : &owner_queue->count) += count;
    return override ? &owner_queue->device_group->overrides : &owner_queue->waiting;
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

/* ---- sweeps ---- */

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

void entry_sweep_insert(struct queue *queue, struct entry_sweep *sweep)
{
    LIST_INSERT_HEAD(&queue->sweeps, sweep, next);
}

void entry_sweep_join(struct entry_sweep *sweep, struct entry *entry)
{
    entry->sweep = sweep;
    LIST_INSERT_HEAD(&sweep->entries, entry, of_sweep);
    sweep->count++;
}

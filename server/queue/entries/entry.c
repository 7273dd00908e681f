#include "server/queue/entries/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int64_t queue_now_ns(const struct queue *queue)
{
    return queue->config.now_ns ? queue->config.now_ns() : clock_monotonic_ns();
}

struct owner *queue_owner(struct queue *queue, const char *name)
{
    struct owner *owner = owner_find(queue->owners, name ? name : "");
    if (owner || !(owner = owner_new(name ? name : "", queue->config.devices)))
        return owner;
    owner->next = queue->owners;
    return queue->owners = owner;
}

/* ---- the index ---- */

/* What is submitted is newer than all; what is taken up at the start comes newest first, and then what ran: so the
   place is at one of the ends, or near the older one. */
static void age_enter(struct device_queue *device, struct entry *entry)
{
    struct entry *older = device->newest, *next = device->oldest;
    if (older && strcmp(older->task.id, entry->task.id) > 0)
        for (older = NULL; next && strcmp(next->task.id, entry->task.id) < 0; next = next->newer)
            older = next;
    entry->older = older;
    entry->newer = older ? older->newer : device->oldest;
    *(older ? &older->newer : &device->oldest) = entry;
    *(entry->newer ? &entry->newer->older : &device->newest) = entry;
}

static void age_leave(struct device_queue *device, struct entry *entry)
{
    *(entry->older ? &entry->older->newer : &device->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &device->newest) = entry->older;
}

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
    age_enter(&queue->devices[entry->task.device], entry);
}

void entry_count(struct queue *queue, const struct entry *entry, int count)
{
    queue->queued += count;
    owner_count(entry->owner, count, entry->task.timeout_s);
}

/* Where it waits: among the device's overrides or in its owner's line. */
static struct order_node **entry_order(struct queue *queue, struct entry *entry, int count)
{
    struct device_queue *device = &queue->devices[entry->task.device];
    struct line *line = &entry->owner->lines[entry->task.device];
    bool override = entry->order.priority >= PRIORITY_OVERRIDE;
    device->waiting += count;
    *(override ? &line->overrides : &line->count) += count;
    return override ? &device->overrides : &line->waiting;
}

void entry_wait(struct queue *queue, struct entry *entry)
{
    entry->phase = WAITING;
    order_insert(entry_order(queue, entry, 1), &entry->order, entry->task.id, entry->order.priority);
    pthread_cond_signal(&queue->devices[entry->task.device].ready);
}

void entry_unwait(struct queue *queue, struct entry *entry, int phase)
{
    order_remove(entry_order(queue, entry, -1), &entry->order);
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

struct group *group_new(const char *id)
{
    struct group *group = calloc(1, sizeof *group);
    if (group)
        memcpy(group->id, id, ID_BYTES);
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
    age_leave(&queue->devices[entry->task.device], entry);
    if (!entry->group)
        return false;
    memcpy(sweep, entry->group->id, ID_BYTES);
    return group_part(queue, entry);
}

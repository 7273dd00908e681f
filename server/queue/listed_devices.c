/* Which devices there are, how ready they are, and what follows for what is bound to none. */
#include "server/queue/listed_devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/queue/place.h"

/* The experiments of one selection. They are found again by their ids: each may begin, end or be cancelled while select() is
   called without the lock. */
struct selection {
    int count;
    char (*ids)[ID_BYTES];
    struct queue_selection *requests; /* as many; the texts are copies */
};

static bool set_is_stranded(const struct queue *queue, const struct device_group *device_group)
{
    struct device_set there = device_set_both(&device_group->devices, &queue->present);
    return !device_set_count(&there);
}

static bool entry_is_due(const struct queue *queue, const struct entry *entry, enum selection_scope scope)
{
    return entry_unbound(entry) &&
           (scope == SELECTION_ALL || set_is_stranded(queue, entry->owner_queue->device_group));
}

static int due_count(const struct queue *queue, enum selection_scope scope)
{
    const struct device_group *device_group;
    const struct owner_queue *owner_queue;
    int count = 0;
    LIST_FOREACH (device_group, &queue->device_groups, next)
        LIST_FOREACH (owner_queue, &device_group->owner_queues, of_set)
            if (scope == SELECTION_ALL || set_is_stranded(queue, device_group))
                count += owner_queue->entries;
    return count;
}

static void selection_free(struct selection *selection)
{
    for (int i = 0; i < selection->count; i++)
        free((char *)selection->requests[i].request);
    free(selection->requests);
    free(selection->ids);
}

/* Lines also count submissions on their way, which are not in the index yet: `room` is enough. */
static int selection_fill(struct selection *selection, const struct queue *queue, enum selection_scope scope,
                          int room)
{
    selection->ids = calloc((size_t)room, sizeof *selection->ids);
    selection->requests = calloc((size_t)room, sizeof *selection->requests);
    if (!selection->ids || !selection->requests)
        return -1;
    for (uint64_t i = 0; i <= queue->chain_mask; i++)
        for (const struct entry *entry = queue->chains[i]; entry; entry = entry->chain) {
            if (!entry_is_due(queue, entry, scope))
                continue;
            struct queue_selection *one = &selection->requests[selection->count];
            *one = (struct queue_selection){strdup(entry->task.request), queue->present, false};
            if (!one->request)
                return -1;
            memcpy(selection->ids[selection->count++], entry->task.id, ID_BYTES);
        }
    return 0;
}

/* A sweep that is not spread may only use devices that fit all of its waiting experiments. Skipped when some of them were
   not part of this selection. */
static void group_select(struct group *group)
{
    struct device_set common = {{0}};
    int selected = 0, unbound = 0;
    for (struct entry *entry = group->entries; entry; entry = entry->group_next) {
        unbound += entry_unbound(entry);
        if (entry->selected)
            common = selected++ ? device_set_both(&common, entry->selected) : *entry->selected;
    }
    for (struct entry *entry = group->entries; entry && selected; entry = entry->group_next) {
        if (entry->selected)
            *entry->selected = common;
        if (selected != unbound)
            entry->selected = NULL;
    }
}

/* All of a sweep that goes to one device is pulled before any of it waits again: it is one piece of one set. */
static void entries_move(struct queue *queue, const struct selection *selection,
                         void (*each)(struct queue *, struct entry *))
{
    for (int i = 0; i < selection->count; i++) {
        struct entry *entry = entry_find(queue, selection->ids[i]);
        if (entry && entry->selected)
            each(queue, entry);
    }
}

static void entry_pull_one(struct queue *queue, struct entry *entry)
{
    (void)queue;
    if (entry->phase == WAITING)
        entry_pull(entry);
}

static void entry_wait_one(struct queue *queue, struct entry *entry)
{
    struct owner_queue *owner_queue = owner_unbound(entry->owner, &queue->device_groups, entry->selected);
    if (owner_queue)
        entry_move(entry, owner_queue);
    else
        log_error("no memory to let experiment %s wait for other devices", entry->task.id);
    entry->selected = NULL;
    if (entry->phase == WAITING)
        entry_wait(queue, entry);
}

static void selection_apply(struct queue *queue, const struct selection *selection)
{
    for (int i = 0; i < selection->count; i++) {
        struct entry *entry = entry_find(queue, selection->ids[i]);
        if (entry && entry_unbound(entry))
            entry->selected = &selection->requests[i].devices;
    }
    for (struct group *group = queue->groups; group; group = group->next)
        if (!group->spread)
            group_select(group);
    entries_move(queue, selection, entry_pull_one);
    entries_move(queue, selection, entry_wait_one);
}

/* 0; -1: no memory. */
static int selection_run(struct queue *queue, enum selection_scope scope)
{
    const struct queue_config *config = &queue->config;
    struct selection selection = {0};
    int room = due_count(queue, scope);
    if (!room)
        return 0;
    int status = selection_fill(&selection, queue, scope, room);
    if (status < 0) {
        log_error("no memory to select devices for %d experiments", room);
    } else {
        pthread_mutex_unlock(&queue->lock);
        if (config->select)
            config->select(config->select_arg, selection.requests, selection.count);
        pthread_mutex_lock(&queue->lock);
        selection_apply(queue, &selection);
    }
    pthread_mutex_unlock(&queue->lock);
    selection_free(&selection);
    pthread_mutex_lock(&queue->lock);
    return status;
}

static void selection_want(struct queue *queue, enum selection_scope scope)
{
    if (queue->selection_wanted < scope)
        queue->selection_wanted = scope;
}

bool selection_make_wanted(struct queue *queue)
{
    enum selection_scope scope = queue->selection_wanted;
    if (!scope || queue->selecting || queue->stopping)
        return false;
    queue->selection_wanted = SELECTION_NONE;
    queue->selecting = true;
    int status = selection_run(queue, scope);
    queue->selecting = false;
    if (status < 0)
        selection_want(queue, scope);
    return status == 0;
}

/* With the lock held. */
static void selection_make_locked(struct queue *queue, enum selection_scope scope)
{
    selection_want(queue, scope);
    while (selection_make_wanted(queue))
        ;
}

void selection_leave(struct queue *queue)
{
    int sleeping = queue->selection_wanted ? device_set_next(&queue->sleeping, 0) : -1;
    if (sleeping >= 0)
        pthread_cond_signal(&queue->devices[sleeping].ready);
}

void selection_ask(struct queue *queue, const struct entry *entry)
{
    if (!queue->config.select || !entry_is_due(queue, entry, SELECTION_STRANDED) || queue->selection_wanted)
        return;
    queue->selection_wanted = SELECTION_STRANDED;
    selection_leave(queue);
}

void selection_make(struct queue *queue, enum selection_scope scope)
{
    pthread_mutex_lock(&queue->lock);
    selection_make_locked(queue, scope);
    pthread_mutex_unlock(&queue->lock);
}

void queue_present(struct queue *queue, const struct device_set *now)
{
    bool other = false;
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < queue->config.devices; i++) {
        bool is = device_set_has(now, i);
        bool was = device_set_has(&queue->present, i);
        other |= is != was;
        queue->devices[i].met &= was;
        (is ? device_set_add : device_set_remove)(&queue->present, i);
        queue_note(queue, i);
        pthread_cond_signal(&queue->devices[i].ready);
    }
    if (other && queue->config.select)
        selection_make_locked(queue, SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

void queue_reset_device(struct queue *queue, int device)
{
    struct owner *owner;
    pthread_mutex_lock(&queue->lock);
    queue->devices[device].pace = (struct pace){0};
    LIST_FOREACH (owner, &queue->owners.all, next)
        if (owner_at(owner, device))
            owner_at(owner, device)->pace = (struct pace){0};
    pthread_mutex_unlock(&queue->lock);
}

void queue_readiness(struct queue *queue, int index, enum queue_readiness readiness)
{
    pthread_mutex_lock(&queue->lock);
    bool ready = readiness >= QUEUE_COLD, met = queue->devices[index].met;
    bool arrived = ready && (!met || queue->devices[index].readiness < QUEUE_COLD);
    queue->devices[index].met |= ready;
    bool changed = readiness != queue->devices[index].readiness;
    queue_ready(queue, index, readiness);
    const struct device_group *device_group;
    LIST_FOREACH (device_group, &queue->device_groups, next)
        if (changed && device_group->waiting && device_set_has(&device_group->devices, index))
            queue_wake(queue, &device_group->devices);
    if (arrived && queue->config.select)
        selection_make_locked(queue, met ? SELECTION_STRANDED : SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

bool queue_needs(struct queue *queue, int index)
{
    pthread_mutex_lock(&queue->lock);
    bool needs = !queue->stopping && device_set_has(&queue->present, index) && !place_held(queue, index) &&
                 place_wanted(queue, index) == WANTED_HERE;
    pthread_mutex_unlock(&queue->lock);
    return needs;
}

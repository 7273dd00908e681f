#include "server/queue/listed_devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/queue/entry.h"
#include "server/queue/schedule.h"

/* The experiments of one selection. They are found again by their ids, because each may begin, end or be
   cancelled while the lock is released. */
struct selection {
    int count;
    char (*ids)[ID_BYTES];
    struct queue_selection *requests; /* `count`; the texts are copies */
};

bool listed_devices_set(struct queue *queue, const struct device_set *listed)
{
    bool changed = false;
    for (int i = 0; i < queue->config.devices; i++) {
        bool is = device_set_has(listed, i), was = device_set_has(&queue->listed, i);
        changed |= is != was;
        queue->devices[i].known &= was;
        (is ? device_set_add : device_set_remove)(&queue->listed, i);
        schedule_update_idle(queue, i);
        pthread_cond_signal(&queue->devices[i].wake);
    }
    return changed;
}

/* ---- what a selection is for ---- */

static bool group_in_scope(const struct queue *queue, const struct device_group *group,
                           enum selection_scope scope)
{
    struct device_set listed = device_set_both(&group->devices, &queue->listed);
    return group->unbound && (scope == SELECTION_ALL || !device_set_count(&listed));
}

static bool entry_in_scope(const struct queue *queue, const struct entry *entry, enum selection_scope scope)
{
    return group_in_scope(queue, entry->owner_queue->device_group, scope);
}

/* How many there are at most: what is being submitted counts, too, and is not in the index. */
static int scope_count(const struct queue *queue, enum selection_scope scope)
{
    const struct device_group *group;
    const struct owner_queue *owner_queue;
    int count = 0;
    LIST_FOREACH (group, &queue->device_groups, next)
        if (group_in_scope(queue, group, scope))
            LIST_FOREACH (owner_queue, &group->owner_queues, of_group)
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

/* For at most `capacity` experiments. -1: no memory. */
static int selection_fill(struct selection *selection, const struct queue *queue, enum selection_scope scope,
                          int capacity)
{
    const struct entry *entry;
    selection->ids = calloc((size_t)capacity, sizeof *selection->ids);
    selection->requests = calloc((size_t)capacity, sizeof *selection->requests);
    if (!selection->ids || !selection->requests)
        return -1;
    for (uint64_t i = 0; i <= queue->index_mask; i++)
        LIST_FOREACH (entry, &queue->index[i], of_chain) {
            if (!entry_in_scope(queue, entry, scope))
                continue;
            struct queue_selection *one = &selection->requests[selection->count];
            *one = (struct queue_selection){strdup(entry->task.request), queue->listed, false};
            if (!one->request)
                return -1;
            memcpy(selection->ids[selection->count++], entry->task.id, ID_BYTES);
        }
    return 0;
}

/* ---- what follows from it ---- */

/* A sweep that is not spread may only use devices that fit all of its unbound experiments. It is skipped
   when some of them were not part of this selection. */
static void sweep_select(struct entry_sweep *sweep)
{
    struct device_set common = {{0}};
    struct entry *entry;
    int selected = 0, unbound = 0;
    LIST_FOREACH (entry, &sweep->entries, of_sweep) {
        unbound += entry_unbound(entry);
        if (entry->selected)
            common = selected++ ? device_set_both(&common, entry->selected) : *entry->selected;
    }
    if (selected)
        LIST_FOREACH (entry, &sweep->entries, of_sweep) {
            if (entry->selected)
                *entry->selected = common;
            if (selected != unbound)
                entry->selected = NULL;
        }
}

/* The entry of a request; NULL: it has ended, or its devices stay as they are. */
static struct entry *selected_entry(struct queue *queue, const struct selection *selection, int i)
{
    struct entry *entry = entry_find(queue, selection->ids[i]);
    return entry && entry->selected ? entry : NULL;
}

static void selection_apply(struct queue *queue, const struct selection *selection)
{
    struct entry_sweep *sweep;
    struct entry *entry;
    for (int i = 0; i < selection->count; i++)
        if ((entry = entry_find(queue, selection->ids[i])) && entry_unbound(entry))
            entry->selected = &selection->requests[i].devices;
    LIST_FOREACH (sweep, &queue->sweeps, next)
        if (!sweep->spread)
            sweep_select(sweep);
    /* All are pulled before any waits again, so that a sweep that is not spread stays one work item of one
       group. */
    for (int i = 0; i < selection->count; i++)
        if ((entry = selected_entry(queue, selection, i)) && entry->phase == WAITING)
            entry_pull(entry);
    for (int i = 0; i < selection->count; i++) {
        if (!(entry = selected_entry(queue, selection, i)))
            continue;
        struct owner_queue *owner_queue =
            owner_queue_unbound(entry->owner, &queue->device_groups, entry->selected);
        if (owner_queue)
            entry_move(entry, owner_queue);
        else
            log_error("no memory to let experiment %s wait for other devices", entry->task.id);
        entry->selected = NULL;
        if (entry->phase == WAITING)
            entry_wait(queue, entry);
    }
}

/* ---- running it ---- */

/* 0; -1: no memory. */
static int selection_run(struct queue *queue, enum selection_scope scope)
{
    const struct queue_config *config = &queue->config;
    struct selection selection = {0};
    int capacity = scope_count(queue, scope);
    if (!capacity)
        return 0;
    int status = selection_fill(&selection, queue, scope, capacity);
    if (status < 0) {
        log_error("no memory to select devices for %d experiments", capacity);
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

bool listed_devices_select_wanted(struct queue *queue)
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

void listed_devices_select(struct queue *queue, enum selection_scope scope)
{
    selection_want(queue, scope);
    while (listed_devices_select_wanted(queue))
        ;
}

void listed_devices_delegate(struct queue *queue)
{
    int sleeping = queue->selection_wanted ? device_set_next(&queue->sleeping, 0) : -1;
    if (sleeping >= 0)
        pthread_cond_signal(&queue->devices[sleeping].wake);
}

void listed_devices_check(struct queue *queue, const struct entry *entry)
{
    if (!queue->config.select || queue->selection_wanted || !entry_in_scope(queue, entry, SELECTION_STRANDED))
        return;
    queue->selection_wanted = SELECTION_STRANDED;
    listed_devices_delegate(queue);
}

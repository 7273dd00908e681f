#include "server/queue/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/queue/entry.h"

static bool group_in_scope(const struct queue *queue, const struct device_group *group,
                           enum selection_scope scope)
{
    struct device_set listed = device_set_both(&group->devices, &queue->listed);
    return group->unbound && (scope == SELECTION_ALL || !device_set_count(&listed));
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

static void selections_free(struct queue_selection *selections, int count)
{
    for (int i = 0; i < count; i++)
        free((char *)selections[i].request);
    free(selections);
}

/* The requests of the experiments in that scope, copied, at most `capacity`; to be freed. They are found again by their
   ids, because each may begin, end or be cancelled while the lock is released. NULL: no memory. */
static struct queue_selection *selections_new(const struct queue *queue, enum selection_scope scope,
                                              int capacity, int *count)
{
    struct queue_selection *selections = calloc((size_t)capacity, sizeof *selections);
    const struct entry *entry;
    *count = 0;
    if (!selections)
        return NULL;
    for (uint64_t i = 0; i <= queue->index_mask; i++)
        LIST_FOREACH (entry, &queue->index[i], of_chain) {
            if (!group_in_scope(queue, entry->owner_queue->device_group, scope))
                continue;
            struct queue_selection *one = &selections[*count];
            one->devices = queue->listed;
            if (!(one->request = strdup(entry->task.request))) {
                selections_free(selections, *count);
                return NULL;
            }
            memcpy(one->id, entry->task.id, ID_BYTES);
            ++*count;
        }
    return selections;
}

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
static struct entry *selected_entry(struct queue *queue, const struct queue_selection *selection)
{
    struct entry *entry = entry_find(queue, selection->id);
    return entry && entry->selected ? entry : NULL;
}

static void selections_apply(struct queue *queue, struct queue_selection *selections, int count)
{
    struct entry_sweep *sweep;
    struct entry *entry;
    for (int i = 0; i < count; i++)
        if ((entry = entry_find(queue, selections[i].id)) && entry_unbound(entry))
            entry->selected = &selections[i].devices;
    LIST_FOREACH (sweep, &queue->sweeps, next)
        if (!sweep->spread)
            sweep_select(sweep);
    /* All are pulled before any waits again, so that a sweep that is not spread stays one work item of one
       group. */
    for (int i = 0; i < count; i++)
        if ((entry = selected_entry(queue, &selections[i])) && entry->phase == WAITING)
            entry_pull(entry);
    for (int i = 0; i < count; i++) {
        if (!(entry = selected_entry(queue, &selections[i])))
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

/* 0; -1: no memory. */
static int scope_run(struct queue *queue, enum selection_scope scope)
{
    const struct queue_config *config = &queue->config;
    int count, capacity = scope_count(queue, scope);
    if (!capacity)
        return 0;
    struct queue_selection *selections = selections_new(queue, scope, capacity, &count);
    if (!selections) {
        log_error("no memory to select devices for %d experiments", capacity);
        return -1;
    }
    pthread_mutex_unlock(&queue->lock);
    if (config->select)
        config->select(config->select_arg, selections, count);
    pthread_mutex_lock(&queue->lock);
    selections_apply(queue, selections, count);
    pthread_mutex_unlock(&queue->lock);
    selections_free(selections, count);
    pthread_mutex_lock(&queue->lock);
    return 0;
}

static void scope_want(struct queue *queue, enum selection_scope scope)
{
    if (queue->selection_wanted < scope)
        queue->selection_wanted = scope;
}

bool selection_run_wanted(struct queue *queue)
{
    enum selection_scope scope = queue->selection_wanted;
    if (!scope || queue->selecting || queue->stopping)
        return false;
    queue->selection_wanted = SELECTION_NONE;
    queue->selecting = true;
    int status = scope_run(queue, scope);
    queue->selecting = false;
    if (status < 0)
        scope_want(queue, scope);
    return status == 0;
}

void selection_run(struct queue *queue, enum selection_scope scope)
{
    scope_want(queue, scope);
    while (selection_run_wanted(queue))
        ;
}

void selection_delegate(struct queue *queue)
{
    int sleeping = queue->selection_wanted ? device_set_next(&queue->sleeping, 0) : -1;
    if (sleeping >= 0)
        pthread_cond_signal(&queue->devices[sleeping].wake);
}

void selection_check(struct queue *queue, const struct entry *entry)
{
    if (!queue->config.select || queue->selection_wanted ||
        !group_in_scope(queue, entry->owner_queue->device_group, SELECTION_STRANDED))
        return;
    queue->selection_wanted = SELECTION_STRANDED;
    selection_delegate(queue);
}

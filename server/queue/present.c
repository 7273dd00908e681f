/* Which devices there are, how ready they are, and what follows for what is bound to none. */
#include "server/queue/present.h"

#include "base/log.h"
#include "server/queue/places/place.h"

/* With the lock held. */
static bool choice_is_due(const struct entry *entry, bool stranded)
{
    return entry_wide(entry) && !(stranded && device_set_count(&entry->line->set->devices));
}

/* A few at a time with the lock held: to ask may take long. */
static void choices_make(struct queue *queue, int64_t number, bool stranded)
{
    const struct queue_config *config = &queue->config;
    for (uint64_t i = 0; i <= queue->chain_mask; i++) {
        pthread_mutex_lock(&queue->lock);
        for (struct entry *entry = queue->chains[i]; entry; entry = entry->chain) {
            if (!choice_is_due(entry, stranded))
                continue;
            entry->chosen_at = number;
            if (config->select)
                config->select(config->select_arg, entry->task.request, &entry->chosen);
            else
                entry->chosen = queue->present;
        }
        pthread_mutex_unlock(&queue->lock);
    }
}

/* Those of a sweep that goes to one device go where all of them may; one that came meanwhile stays where it is. */
static void group_choose(struct group *group, int64_t number)
{
    struct device_set common;
    int chosen = 0, wide = 0;
    for (struct entry *entry = group->entries; entry; entry = entry->group_next) {
        wide += entry_wide(entry);
        if (entry->chosen_at == number && entry_wide(entry))
            common = chosen++ ? device_set_both(&common, &entry->chosen) : entry->chosen;
    }
    for (struct entry *entry = group->entries; entry && chosen; entry = entry->group_next) {
        entry->chosen = common;
        entry->chosen_at = chosen == wide ? number : 0;
    }
}

/* All of a sweep that goes to one device is pulled before any of it waits again: it is one piece of one set. */
static void entries_move(struct queue *queue, int64_t number, void (*each)(struct queue *, struct entry *))
{
    for (uint64_t i = 0; i <= queue->chain_mask; i++)
        for (struct entry *entry = queue->chains[i]; entry; entry = entry->chain)
            if (entry->chosen_at == number && entry_wide(entry))
                each(queue, entry);
}

static void entry_pull_one(struct queue *queue, struct entry *entry)
{
    (void)queue;
    if (entry->phase == WAITING)
        entry_pull(entry);
}

static void entry_wait_one(struct queue *queue, struct entry *entry)
{
    struct line *line = owner_wide(entry->owner, &queue->sets, &entry->chosen);
    if (line)
        entry_move(entry, line);
    else
        log_error("no memory to let experiment %s wait for other devices", entry->task.id);
    if (entry->phase == WAITING)
        entry_wait(queue, entry);
}

static bool any_stranded(const struct queue *queue)
{
    const struct set *set;
    LIST_FOREACH(set, &queue->sets, next)
    if (!device_set_count(&set->devices))
        return true;
    return false;
}

void present_choose(struct queue *queue, bool stranded)
{
    pthread_mutex_lock(&queue->lock);
    int64_t number = ++queue->choices;
    bool due = stranded ? any_stranded(queue) : !LIST_EMPTY(&queue->sets);
    pthread_mutex_unlock(&queue->lock);
    if (!due)
        return;
    choices_make(queue, number, stranded);
    pthread_mutex_lock(&queue->lock);
    for (struct group *group = queue->groups; group; group = group->next)
        if (!group->spread)
            group_choose(group, number);
    entries_move(queue, number, entry_pull_one);
    entries_move(queue, number, entry_wait_one);
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
    pthread_mutex_unlock(&queue->lock);
    if (other && queue->config.select)
        present_choose(queue, false);
}

void queue_readiness(struct queue *queue, int index, enum queue_readiness readiness)
{
    pthread_mutex_lock(&queue->lock);
    bool ready = readiness >= QUEUE_COLD, met = queue->devices[index].met;
    bool arrived = ready && (!met || queue->devices[index].readiness < QUEUE_COLD);
    queue->devices[index].met |= ready;
    bool changed = readiness != queue->devices[index].readiness;
    queue_ready(queue, index, readiness);
    const struct set *set;
    LIST_FOREACH(set, &queue->sets, next)
    if (changed && set->waiting && device_set_has(&set->devices, index))
        queue_wake(queue, &set->devices);
    pthread_mutex_unlock(&queue->lock);
    if (arrived && queue->config.select)
        present_choose(queue, met);
}

bool queue_needs(struct queue *queue, int index)
{
    pthread_mutex_lock(&queue->lock);
    bool needs = !queue->stopping && device_set_has(&queue->present, index) && !place_held(queue, index) &&
                 place_wanted(queue, index) == WANTED_HERE;
    pthread_mutex_unlock(&queue->lock);
    return needs;
}

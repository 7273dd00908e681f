#include "server/queue/queue_entries.h"

#include <stdlib.h>
#include <string.h>

#include "server/queue/entry.h"
#include "server/queue/position.h"

static int order_compare(const void *a, const void *b)
{
    const struct entry *one = *(const struct entry *const *)a, *other = *(const struct entry *const *)b;
    return one == other ? 0 : order_before(&one->order, &other->order) ? -1 : 1;
}

static int position_compare(const void *a, const void *b)
{
    const struct queue_entry *one = a, *other = b;
    if (one->position.running != other->position.running)
        return one->position.running ? -1 : 1;
    if (one->position.position != other->position.position)
        return one->position.position < other->position.position ? -1 : 1;
    return strcmp(one->id, other->id);
}

/* Copies pointers to the first `most` experiments of this owner queue, overrides included, to `found`. Returns the number
   of pointers. */
static int owner_queue_read(const struct owner_queue *owner_queue, const struct owner *owner, int most,
                            const struct entry **found)
{
    struct order_node *overrides = owner_queue->device_group->overrides, *node;
    int count = 0;
    for (int at = 0; count < most && count < owner_queue->overrides && (node = order_at(overrides, at)); at++)
        if (((const struct entry *)node)->owner == owner)
            found[count++] = (const struct entry *)node;
    for (int at = 0; count < most && (node = order_at(owner_queue->waiting, at)); at++)
        found[count++] = (const struct entry *)node;
    return count;
}

/* Writes pointers to the owner's next `most` waiting experiments to `found`, in order, from all its owner queues. `found` has
   room for 2 * most: each queue's experiments are appended before they are sorted and cut. Returns the number of pointers. */
static int owner_read(const struct owner *owner, int most, const struct entry **found)
{
    int count = 0;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        count += owner_queue_read(owner_queue, owner, most, found + count);
        qsort(found, (size_t)count, sizeof *found, order_compare);
        count = count < most ? count : most;
    }
    return count;
}

static int left_of(const struct entry_sweep *sweep)
{
    int left = 0;
    const struct entry *entry;
    LIST_FOREACH (entry, &sweep->entries, of_sweep)
        left += entry->phase != ENDING;
    return left;
}

static bool entry_copy(struct queue *queue, const struct entry *entry, struct queue_entry *to)
{
    memcpy(to->id, entry->task.id, ID_BYTES);
    memcpy(to->owner, entry->owner->name, sizeof to->owner);
    if (entry->sweep)
        memcpy(to->sweep, entry->sweep->id, ID_BYTES);
    if (entry->sweep && entry->phase == RUNNING)
        to->sweep_left = left_of(entry->sweep);
    to->position = position_own(queue, entry);
    return (to->request = strdup(entry->task.request)) != NULL;
}

/* As queue_view_entries(), with the queue's lock held and room in `found` and `entries`. False: no memory. */
static bool entries_read(struct queue *queue, const char *const *ids, int id_count, const struct owner *owner,
                         int most, const struct entry **found, struct queue_entry *entries, int *count)
{
    int found_count = owner ? owner_read(owner, most, found) : 0;
    for (int i = 0; i < id_count; i++) {
        const struct entry *entry = entry_find(queue, ids[i]);
        if (entry && entry->phase != ENDING)
            found[found_count++] = entry;
    }
    qsort(found, (size_t)found_count, sizeof *found, order_compare);
    for (int i = 0; i < found_count; i++)
        if ((!i || found[i] != found[i - 1]) && !entry_copy(queue, found[i], &entries[(*count)++]))
            return false;
    qsort(entries, (size_t)*count, sizeof *entries, position_compare);
    return true;
}

int queue_view_entries(struct queue *queue, const char *const *ids, int id_count, const char *owner, int most,
                       struct queue_entry **entries)
{
    int count = 0;
    size_t room = (size_t)id_count + 2 * (size_t)most + 1;
    const struct entry **found = calloc(room, sizeof *found);
    *entries = calloc(room, sizeof **entries);
    pthread_mutex_lock(&queue->lock);
    bool done =
        found && *entries &&
        entries_read(queue, ids, id_count, owner_find(&queue->owners, owner), most, found, *entries, &count);
    pthread_mutex_unlock(&queue->lock);
    free(found);
    if (done)
        return count;
    queue_view_free_entries(*entries, count);
    *entries = NULL;
    return -1;
}

void queue_view_free_entries(struct queue_entry *entries, int count)
{
    for (int i = 0; entries && i < count; i++)
        free(entries[i].request);
    free(entries);
}

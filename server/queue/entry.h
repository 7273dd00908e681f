/* Entries: their index, how they wait, and the sweeps that they belong to (queue_state.h). Called with the
   queue's lock held, but for entry_new() and entry_sweep_new(). */
#ifndef COALESCED_SERVER_QUEUE_ENTRY_H
#define COALESCED_SERVER_QUEUE_ENTRY_H

#include "server/queue/queue_state.h"

/* Without an id, an owner and an owner queue. NULL: no memory. */
struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request);

/* Sets the owner, and the owner queue for its device or, when that is -1, for `devices`. 0; or -1: no
   memory. */
int entry_set_owner(struct queue *queue, struct entry *entry, struct owner *owner,
                    const struct device_set *devices);

struct entry *entry_find(struct queue *queue, const char *id); /* NULL: none */
void entry_insert(struct queue *queue, struct entry *entry);   /* into the index */

/* Is it bound to no device, or was it before it ran? */
static inline bool entry_unbound(const struct entry *entry)
{
    return entry->owner_queue->device_group->unbound;
}

/* Counts it, in the queue and for its owner, as one that waits; with count -1 as one that does not. */
void entry_count(struct queue *queue, const struct entry *entry, int count);

/* Puts it at its position among those that wait, and wakes a worker. It must be counted. */
void entry_wait(struct queue *queue, struct entry *entry);

/* The reverse, with the count. */
void entry_unwait(struct queue *queue, struct entry *entry, int phase);

/* Takes it out of its owner queue for a moment, to be put into another: it still counts as one that waits. */
void entry_pull(struct entry *entry);

/* From here on it belongs to that owner queue. It must not wait, or be pulled. */
void entry_move(struct entry *entry, struct owner_queue *owner_queue);

/* Removes it from the index and from its sweep, and frees it. When it was the sweep's last one, that is freed too, and its
   id is written to `sweep_ended`: to be reported with transition_notify_sweep(). */
void entry_free(struct entry *entry, char sweep_ended[ID_BYTES]);

struct entry_sweep *entry_sweep_find(struct queue *queue, const char *id); /* NULL: none */
struct entry_sweep *entry_sweep_new(const char *id, bool spread);          /* NULL: no memory */
void entry_sweep_insert(struct queue *queue, struct entry_sweep *sweep);   /* into the queue's list */
void entry_sweep_join(struct entry_sweep *sweep, struct entry *entry);

#endif

/* An experiment in the queue, from its submission to its end: how it waits, its sweep, and its changes of state on their
   way to the store (queue_state.h).

       submitted -> (commit) -> QUEUED --------- taken --------> RUNNING
                                  ^  |                            |  |
                                  |  +-- cancelled --+    ends ---+  |
                                  |                  v    v          |
                                  |            SUCCEEDED, FAILED,    |
                                  |                CANCELLED         |
                                  +----- handed back, or the --------+
                                         server died under it

   An experiment that is handed back once too often, or whose device number no service has, is FAILED; one whose cancellation was
   requested while it ran is CANCELLED. What has ended never changes: a trigger of the schema prevents it. In memory an end
   has a phase of its own, ENDING, from its hand-over until its commit.

   Called with the queue's lock held, but for the functions that make something (_new) and what says otherwise. */
#pragma once

#include "server/queue/queue_state.h"
#include "server/store/write.h"

/* Without an id, an owner and an owner queue. NULL: no memory. */
struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request);

/* Sets the owner, and the owner queue for its device or, when that is -1, for `devices`. 0; or -1: no
   memory. */
int entry_set_owner(struct queue *queue, struct entry *entry, struct owner *owner,
                    const struct device_set *devices);

struct entry *entry_find(struct queue *queue, const char *id);             /* NULL: none */
struct entry_sweep *entry_sweep_find(struct queue *queue, const char *id); /* NULL: none */
struct entry_sweep *entry_sweep_new(const char *id, bool spread);          /* NULL: no memory */

/* Into the index and its sweep (NULL: none), which enters the queue with its first entry. */
void entry_insert(struct queue *queue, struct entry *entry, struct entry_sweep *sweep);

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
   id is written to `sweep_ended`, for transition_notify(). */
void entry_free(struct entry *entry, char sweep_ended[ID_BYTES]);

/* ---- changes of state ---- */

/* One write of the store, and copies of what the write borrows. */
struct transition {
    struct store_write write;
    struct queue *queue;
    struct entry *ended;          /* NULL: none; freed after the commit */
    int device;                   /* of the one that ended */
    struct device_queue *started; /* the device on which one starts; NULL: none does */
    struct store_share share;     /* usage of the owner of the run that ended */
    struct store_bind bind;       /* of a sweep whose first experiment was taken */
    struct store_lost lost;       /* of a run that was lost */
    char lost_reason[sizeof((struct error *)0)->text];
    struct error failure;   /* of the one that ended */
    struct samples samples; /* likewise */
    /* Called without the lock after the commit, or with the reason why it failed: then what was to end waits again.
       NULL: nobody waits for it, and a failure is logged. */
    void (*done)(void *arg, const struct error *failed);
    void *arg;
    char result[];
};

/* `ending` may be NULL, else what it points to is copied. NULL: no memory. */
struct transition *transition_new(struct queue *queue, const struct ending *ending);

/* What an event says about it; borrows from the entry. */
struct store_about entry_about(const struct entry *entry);

/* Adds a change of that entry, to be filled in. */
struct store_change *transition_add(struct transition *transition, const struct entry *entry,
                                    enum job_state state);

/* Ends `entry`, which no longer runs or waits; with transition->failure unless its kind is ERROR_NONE. */
void transition_end(struct transition *transition, struct entry *entry, enum job_state state);

/* Sets transition->failure: it was cancelled while it ran, and by whom. */
void transition_cancelled(struct transition *transition, const struct entry *entry);

/* Its first change ends a run that was lost: which attempt, on which device, when in milliseconds since 1970, and why,
   which is copied. */
void transition_lose(struct transition *transition, int attempt, int device, int64_t at_ms,
                     const char *reason);

/* Charges the owner for the time that its run held the device, however that ended. */
void transition_charge(struct transition *transition, struct owner *owner, double took_s);

/* Hands it to the store, which owns it until it is committed or failed. */
void transition_hand_over(struct transition *transition);

/* Without the lock, after the commit: calls changed() of the queue's config, unless the id is empty. */
void transition_notify(struct queue *queue, const char *id, enum job_state state);

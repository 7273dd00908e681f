/* Changes of an experiment's state on their way to the store, and what follows from their commit.

       submitted -> (commit) -> QUEUED --------- taken --------> RUNNING
                                  ^  |                            |  |
                                  |  +-- cancelled --+    ends ---+  |
                                  |                  v    v          |
                                  |            SUCCEEDED, FAILED,    |
                                  |                CANCELLED         |
                                  +----- handed back, or the --------+
                                         server died under it

   An experiment that is handed back once too often, or whose device is gone, is FAILED; one whose cancellation was
   requested while it ran is CANCELLED. What has ended never changes: a trigger of the schema prevents it. In memory an end
   has a phase of its own, ENDING, from its hand-over until its commit.

   Called with the queue's lock held, but for transition_new() and what says otherwise. */
#ifndef COALESCED_SERVER_QUEUE_TRANSITION_H
#define COALESCED_SERVER_QUEUE_TRANSITION_H

#include "server/queue/queue_state.h"
#include "server/store/write.h"

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
    struct error *report;   /* where a failure to commit is written, besides the log; NULL: nowhere */
    char result[];
};

/* `ending` may be NULL, else what it points to is copied. NULL: no memory. */
struct transition *transition_new(struct queue *queue, const struct ending *ending);

/* What an event says about it; borrows from the entry. */
struct store_about transition_about(const struct entry *entry);

/* Adds a change of that entry, to be filled in. */
struct store_change *transition_add(struct transition *transition, const struct entry *entry,
                                    enum job_state state);

/* Ends `entry`, which no longer runs or waits; with transition->failure unless its kind is ERROR_NONE. */
void transition_end(struct transition *transition, struct entry *entry, enum job_state state);

/* Its first change ends a run that was lost: which attempt, on which device, and why, which is copied. */
void transition_lose(struct transition *transition, int attempt, int device, const char *reason);

/* Charges the owner for the time that its run held the device, however that ended. */
void transition_charge(struct transition *transition, struct owner *owner, double took_s);

/* Hands it to the store, which owns it until it is committed or failed. */
void transition_hand_over(struct transition *transition);

/* Without the lock, after the commit: calls changed(), or sweep_ended() unless the id is empty, of the queue's
   config. */
void transition_notify(struct queue *queue, const char *id, enum job_state state);
void transition_notify_sweep(struct queue *queue, const char *sweep);

#endif

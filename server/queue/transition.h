/* Changes of an experiment's state on their way to the store, and what follows from their commit.

       submitted -> (commit) -> QUEUED --------- taken --------> RUNNING
                                  ^  |                            |  |
                                  |  +-- cancelled --+    ends ---+  |
                                  |                  v    v          |
                                  |            SUCCEEDED, FAILED,    |
                                  |                CANCELLED         |
                                  +----- handed back, or the --------+
                                         service died under it

   An experiment that is handed back once too often, or whose device is gone, is FAILED; one whose cancellation was
   asked for while it ran is CANCELLED. What has ended never changes: a trigger of the schema sees to it. In memory
   an end has a phase of its own, ENDING, from its hand-over until its commit. */
#ifndef COALESCED_SERVER_QUEUE_TRANSITION_H
#define COALESCED_SERVER_QUEUE_TRANSITION_H

#include "server/queue/entry.h"
#include "server/store/write.h"

struct transition {
    struct store_write write;
    struct queue *queue;
    struct entry *ended;         /* NULL: none; freed after the commit */
    struct store_share share;    /* of whose run ended */
    int device;                  /* of the one that ended */
    struct device_queue *begins; /* where one begins; NULL: nowhere */
    struct store_bind bind;      /* of a sweep whose first one was taken */
    struct store_lost lost;      /* of a run that was */
    char why[sizeof((struct error *)0)->text];
    struct error failure;        /* of the one that ended */
    struct samples samples;      /* likewise */
    char *told;                  /* a copy of the request that an event tells of; NULL: none */
    char sweep[ID_BYTES];        /* with it */
    char owner[USER_NAME_BYTES]; /* with it, and of the share */
    struct error *report;        /* where a failure to commit is told as well; NULL: in the log alone */
    char result[];
};

/* `ending` may be NULL. NULL: no memory. */
struct transition *transition_new(struct queue *queue, const struct ending *ending);

/* What an event tells of it; borrows from the entry. */
struct store_about transition_about(const struct entry *entry);

/* A change of that entry, to be filled in. */
struct store_change *transition_add(struct transition *transition, const struct entry *entry,
                                    enum job_state state);

/* A change of one that is no entry yet, or never will be; what its event tells is copied. NULL: no memory. */
struct store_change *transition_add_job(struct transition *transition, const struct job *job,
                                        enum job_state state);

/* With the lock held: the end of `entry`, which runs or waits no more; transition->failure tells why unless
   its kind is ERROR_NONE. */
void transition_end(struct transition *transition, struct entry *entry, enum job_state state);

/* The run that the change ends was lost: which attempt, where and why, which is copied. */
void transition_lose(struct transition *transition, struct store_change *change, int attempt, int device,
                     const char *why);

/* With the lock held: the owner of a run pays for the time that it held the device, however that ended. */
void transition_charge(struct transition *transition, struct owner *owner, double took_s);

/* After the commit of an end: for /metrics. */
void transition_count(int device, const struct store_change *change);

/* With the lock held: to the store, which owns it until it is done. */
void transition_hand_over(struct transition *transition);

/* Without the lock, after the commit: tells whoever listens. */
void transition_tell(struct queue *queue, const char *id, enum job_state state);
void transition_tell_sweep(struct queue *queue, const char *sweep);

#endif

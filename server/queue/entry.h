/* An experiment from its commit until its end is committed; the index of all of them, and the groups of those that
   came as one sweep. What waits is in its owner's owner queue for its device group (set.h) or among the set's overrides, and
   all is in the index by id. Nothing enters either before its submission is committed, so that what is taken,
   and what is told, is on disk.

   All but entry_new() and group_new() with the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_ENTRY_H
#define COALESCED_SERVER_QUEUE_ENTRY_H

#include <pthread.h>

#include "server/queue/owner.h"
#include "server/queue/queue.h"

/* From here on a priority goes before everybody's. */
enum { PRIORITY_OVERRIDE = 101 };

/* On disk are the fields that say so; the others are made anew by queue_open(). */
struct entry {
    struct order_node order; /* first, so that a node is its entry; its priority is on disk */
    struct entry *chain;     /* the next one in its chain of the index; of a submission on its way */
    struct task task;        /* on disk; request points behind the struct */
    struct owner *owner;     /* whose name is on disk */
    /* in which it waits; of one that runs: to which it is handed back. NULL: it is not known yet */
    struct owner_queue *owner_queue;
    struct order_node age; /* among all that wait for the same set */
    struct group *group;   /* its sweep, whose id is on disk; NULL: none */
    struct entry *group_next, *group_previous;
    LIST_ENTRY(entry) running;               /* of its owner */
    int64_t started_ms;                      /* wall clock; on disk */
    int64_t started_ns;                      /* of the same moment */
    enum { WAITING, RUNNING, ENDING } phase; /* transition.h; ENDING is RUNNING or queued on disk */
    bool
        /* it ends as such; set while it runs, or when it was handed back while its sweep was cancelled */
        cancelled;
    struct device_set *selected; /* present.c: by the selection that is being applied; NULL: not by it */
};

/* The experiments of one sweep that have not ended. */
struct group {
    char id[ID_BYTES]; /* of the sweep; on disk */
    struct group *next, *previous;
    struct entry *entries;
    int left;    /* how many there are */
    bool spread; /* they may go to different devices; on disk */
    int waiting; /* for a unbound set */
};

/* Nothing of it is on disk, but for its hold. */
struct device_queue {
    struct device_group own; /* of what may run here alone */
    struct entry *running;
    int64_t busy_ns; /* of what ran, without what runs */
    pthread_cond_t ready;
    int wake_fd;
    struct pace pace; /* whoever's */
    struct queue_hold hold;
    enum queue_readiness readiness;
    bool begins;     /* what was taken last is not committed yet */
    bool met;        /* since it came it was ready once: what it is is known */
    int64_t started; /* while it is QUEUE_STARTING: a number that grows with each that began to */
};

/* What a selection of devices is for. */
enum selection_scope {
    SELECTION_NONE,
    SELECTION_STRANDED, /* experiments of whose devices none is present */
    SELECTION_ALL       /* all that are bound to no device */
};

/* `lock` guards all but `config` and `store`. The store's lock may be taken with it held, never the reverse:
   the writer holds nothing when it calls done(). Writes are handed over with it held, so that they reach the
   database in the order in which states changed. */
struct queue {
    struct queue_config config;
    struct store *store;
    pthread_mutex_t lock;
    bool stopping;
    int queued;                 /* in all devices, and submissions on their way */
    int unsaved;                /* changes of state that are handed over and not committed */
    int unsaved_most;           /* so many may be before nothing is taken any more: a disk may be slow */
    struct device_set outlived; /* that take nothing before outlived_ns, of clock_monotonic_ns() */
    int64_t outlived_ns;
    struct entry **chains;
    uint64_t chain_mask;
    struct group *groups;
    struct owners owners;
    int64_t served;                     /* the last number given to an owner (turn.h) */
    struct queue_hold hold;             /* of all devices; on disk */
    struct device_groups device_groups; /* the unbound ones */
    struct pace pace;                   /* on all devices, whoever's */
    int64_t starts;                     /* the last number given to a device that is being started */
    bool selecting;                     /* a thread is in a selection (present.c) */
    enum selection_scope
        selection_wanted; /* the next one, which that thread or the next worker that waits makes */
    struct device_set present;
    struct device_set
        idle[QUEUE_READINESS];  /* present, neither held nor outlived, running nothing, and that ready */
    struct device_set sleeping; /* whose workers are in queue_wait() and were not woken */
    struct device_queue devices[];
};

/* Without an id, an owner and a owner queue. NULL: no memory. */
struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request);

/* It is the owner's from here on, and waits, when it does, for its device or (when that is -1) for these. 0; or -1: no
   memory. */
int entry_line(struct queue *queue, struct entry *entry, struct owner *owner,
               const struct device_set *devices);

/* Is it, or was it before it ran, bound to no device? */
static inline bool entry_unbound(const struct entry *entry)
{
    return entry->owner_queue->device_group->unbound;
}

/* The owner of that name, new if need be. NULL: no memory. */
struct owner *queue_owner(struct queue *queue, const char *name);

/* The owner's line of what may run on that device alone, new if need be. NULL: no memory. */
static inline struct owner_queue *queue_bound(struct queue *queue, struct owner *owner, int device)
{
    return owner_bound(owner, device, &queue->devices[device].own);
}

int64_t queue_now_ns(const struct queue *queue); /* monotonic */

/* Whether a device is idle may have changed. */
void queue_note(struct queue *queue, int device);

/* A change that was handed over is not unsaved any more. */
void queue_saved(struct queue *queue);

/* It is so ready from here on. */
void queue_ready(struct queue *queue, int device, enum queue_readiness readiness);

/* Wakes the readiest worker that sleeps and may take what waits for these devices. The order is that of place_wanted(), so a
   worker that leaves the work to a readier one never leaves it to one that sleeps on. */
void queue_wake(struct queue *queue, const struct device_set *devices);

struct entry *entry_find(struct queue *queue, const char *id); /* NULL: none */
void entry_enter(struct queue *queue, struct entry *entry);    /* into the index */

/* Counted, in all and with its owner, as one that waits or (-1) does not. */
void entry_count(struct queue *queue, const struct entry *entry, int count);

void entry_wait(struct queue *queue,
                struct entry *entry); /* to its place among the waiting; does not count it */
void entry_unwait(struct queue *queue, struct entry *entry, int phase); /* the reverse, and counts it */
void entry_pull(
    struct entry *entry); /* out of its owner queue, to another: between the two it waits all the same */

/* One that runs or ends, or was pulled, is to wait there from here on. */
void entry_move(struct entry *entry, struct owner_queue *owner_queue);

/* Out of the index and out of its group. True when that was the sweep's last one, whose id is written to `sweep`:
   to be told with transition_tell_sweep(). */
bool entry_leave(struct queue *queue, struct entry *entry, char sweep[ID_BYTES]);

struct group *group_find(struct queue *queue, const char *id); /* NULL: none */
struct group *group_new(const char *id, bool spread);          /* NULL: no memory */
void group_enter(struct queue *queue, struct group *group);    /* among the queue's */
void group_join(struct group *group, struct entry *entry);

#endif

/* An experiment from its commit until its end is committed; the index of all of them, and the groups of those that
   came as one sweep. What waits is twice in memory: in its owner's order for its device (owner.h) or among the device's
   overrides, and in the index by id. Nothing enters either before its submission is committed, so that what is taken,
   and what is told, is on disk.

   All but entry_new() and group_new() with the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_ENTRY_H
#define COALESCED_SERVER_QUEUE_ENTRIES_ENTRY_H

#include <pthread.h>

#include "server/queue/entries/owner.h"
#include "server/queue/queue.h"

/* From here on a priority goes before everybody's. */
enum { PRIORITY_OVERRIDE = 101 };

/* On disk are the fields that say so; the others are made anew by queue_open(). */
struct entry {
    struct order_node order; /* first, so that a node is its entry; its priority is on disk */
    struct entry *chain;     /* the next one in its chain of the index; of a submission on its way */
    struct task task;        /* on disk; request points behind the struct */
    struct owner *owner;     /* whose name is on disk */
    struct group *group;     /* its sweep, whose id is on disk; NULL: none */
    struct entry *group_next, *group_previous;
    struct entry *older, *newer;             /* of its device: in the order of their ids */
    int64_t started_ms;                      /* wall clock; on disk */
    int64_t started_ns;                      /* of the same moment */
    enum { WAITING, RUNNING, ENDING } phase; /* transition.h; ENDING is RUNNING or queued on disk */
    bool cancelled;                          /* while it runs */
};

/* The experiments of one sweep that have not ended. */
struct group {
    char id[ID_BYTES]; /* of the sweep; on disk */
    struct group *next, *previous;
    struct entry *entries;
    int left; /* how many there are */
};

/* Nothing of it is on disk, but for its hold. */
struct device_queue {
    int waiting; /* in all lines and among the overrides */
    struct order_node *overrides;
    struct entry *running;
    struct entry *oldest, *newest; /* that have not ended, whatever the order in which they run */
    int64_t busy_ns;               /* of what ran, without what runs */
    pthread_cond_t ready;
    int wake_fd;
    struct pace pace; /* whoever's */
    struct queue_hold hold;
};

/* `lock` guards all but `config` and `store`. The store's lock may be taken with it held, never the reverse:
   the writer holds nothing when it calls done(). Writes are handed over with it held, so that they reach the
   database in the order in which states changed. */
struct queue {
    struct queue_config config;
    struct store *store;
    pthread_mutex_t lock;
    bool stopping;
    int queued;  /* in all devices, and submissions on their way */
    int unsaved; /* changes of state that are handed over and not committed */
    struct entry **chains;
    uint64_t chain_mask;
    struct group *groups;
    struct owner *owners;
    int64_t served;         /* the last number given to an owner (turn.h) */
    struct queue_hold hold; /* of all devices; on disk */
    struct device_queue devices[];
};

/* Without an id and an owner. NULL: no memory. */
struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request);

/* The owner of that name, new if need be. NULL: no memory. */
struct owner *queue_owner(struct queue *queue, const char *name);

int64_t queue_now_ns(const struct queue *queue); /* monotonic */

struct entry *entry_find(struct queue *queue, const char *id); /* NULL: none */
void entry_enter(struct queue *queue, struct entry *entry);    /* into the index */

/* Counted, in all and with its owner, as one that waits or (-1) does not. */
void entry_count(struct queue *queue, const struct entry *entry, int count);

void entry_wait(struct queue *queue,
                struct entry *entry); /* to its place among the waiting; does not count it */
void entry_unwait(struct queue *queue, struct entry *entry, int phase); /* the reverse, and counts it */

/* Out of the index and out of its group. True when that was the sweep's last one, whose id is written to `sweep`:
   to be told with transition_tell_sweep(). */
bool entry_leave(struct queue *queue, struct entry *entry, char sweep[ID_BYTES]);

struct group *group_find(struct queue *queue, const char *id); /* NULL: none */
struct group *group_new(const char *id);                       /* NULL: no memory */
void group_enter(struct queue *queue, struct group *group);    /* among the queue's */
void group_join(struct group *group, struct entry *entry);

#endif

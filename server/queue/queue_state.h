/* The queue's state in memory, and the invariants that its lock protects. Private to server/queue.

   `lock` protects all of struct queue but `config` and `store`, which do not change while the queue is open. Whenever
   the lock is free:

   - An entry is in the index, and in the list of its sweep, from the commit of its submission until the commit of its
     end. So what is taken, and what is reported, is on disk.
   - An entry that is WAITING is in its device group's `ages`, and either in its owner queue's `waiting` or, with a
     priority of PRIORITY_OVERRIDE or more, in its device group's `overrides`. An entry in another phase is in none of
     them. One that is RUNNING is `running` of exactly one device, and in its owner's `running`.
   - Each entry, and each one that is being submitted, refers to its owner queue and counts in its `entries`. Those
     that are WAITING or being submitted count in queue.queued and in their owner's `waiting`.

   Writes are handed to the store with the lock held, so that they reach the database in the order in which states
   changed. The store's lock may be taken while this one is held, never the reverse: the store's writer holds no lock
   when it calls done(). The callbacks of struct queue_config are called without the lock. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "server/queue/owner.h"
#include "server/queue/queue_types.h"

/* The least priority that runs before the experiments of all owners. */
enum { PRIORITY_OVERRIDE = 101 };

/* An experiment from the commit of its submission until the commit of its end. Fields marked "on disk" are
   loaded by queue_open(); the others are made anew. */
struct entry {
    struct order_node order;         /* first, so that a node is its entry; its priority is on disk */
    LIST_ENTRY(entry) of_chain;      /* of the index */
    struct task task;                /* on disk; request points behind the struct */
    struct owner *owner;             /* whose name is on disk */
    struct owner_queue *owner_queue; /* in which it waits, or to which it is handed back */
    struct order_node age;           /* in its device group's `ages` */
    struct entry_sweep *sweep;       /* whose id is on disk; NULL: none */
    LIST_ENTRY(entry) of_sweep, of_running;
    int64_t started_ms;                      /* wall clock; on disk */
    int64_t started_ns;                      /* the same moment on the clock of queue_state_now_ns() */
    enum { WAITING, RUNNING, ENDING } phase; /* entry.h; an ENDING one is running or queued on disk */
    bool
        ended; /* it ran, or cannot run, and its end is not committed; false while a cancellation is not committed */
    bool cancelled;     /* it ends as cancelled: requested while it ran, or of its sweep after a hand-back */
    char *cancelled_by; /* by whom; owned. NULL: by nobody by name */
    struct device_set *selected; /* selection.c, by the selection that is applied; NULL: not by it */
};

/* The experiments of one sweep that have not ended. */
struct entry_sweep {
    LIST_ENTRY(entry_sweep) next;
    char id[ID_BYTES]; /* on disk */
    struct entries entries;
    int count;
    bool spread; /* they may go to different devices; on disk */
    int waiting; /* unbound ones, when it is not spread */
};

/* Of all this only the hold is on disk. */
struct device_queue {
    struct device_group group; /* of what is bound to the device */
    struct entry *running;
    int64_t busy_ns;     /* duration of all that ran, without what runs */
    pthread_cond_t wake; /* the worker waits for it */
    int wake_fd;
    struct run_mean run_mean; /* of all owners */
    struct queue_hold hold;
    enum queue_readiness readiness;
    bool uncommitted;   /* the start of what was taken last is not committed yet */
    bool known;         /* it was ready once since it was listed, so its properties are known */
    int64_t start_rank; /* order in which devices became QUEUE_STARTING */
};

/* Which experiments get their devices selected anew. */
enum selection_scope {
    SELECTION_NONE,
    SELECTION_STRANDED, /* unbound ones of whose devices none is listed */
    SELECTION_ALL       /* all unbound ones */
};

struct queue {
    struct queue_config config;
    struct store *store;
    pthread_mutex_t lock;
    atomic_bool stopping;
    int queued;                 /* experiments that wait or are being submitted */
    int64_t request_bytes;      /* of their requests */
    int uncommitted;            /* changes of state that are handed over and not committed */
    int uncommitted_max;        /* from here on nothing is taken: the disk is slow */
    struct device_set outlived; /* take nothing before outlived_until_ns (queue_config.outliving) */
    int64_t outlived_until_ns;  /* of clock_monotonic_ns() */
    struct entries *index;      /* all entries, by the hash of their id */
    uint64_t index_mask;
    LIST_HEAD(, entry_sweep) sweeps;
    struct owners owners;
    int64_t served;                        /* the last number given to an owner (struct device_share) */
    struct queue_hold hold;                /* of all devices; on disk */
    struct device_groups device_groups;    /* the unbound ones */
    struct run_mean run_mean;              /* on all devices, of all owners */
    int64_t start_rank;                    /* the last one given to a device */
    bool selecting;                        /* a thread runs a selection (selection.c) */
    enum selection_scope selection_wanted; /* the next one: by that thread or the next waiting worker */
    struct device_set listed;
    struct device_set sleeping; /* whose workers are in queue_worker_wait() and were not woken */
    struct device_queue devices[];
};

/* Monotonic. */
static inline int64_t queue_state_now_ns(const struct queue *queue)
{
    return queue->config.now_ns ? queue->config.now_ns() : clock_monotonic_ns();
}

/* What the queue's own files share: queue.c is for whoever submits and asks, queue_worker.c for the workers,
   queue_open.c takes up what the store holds, queue_sweep.c is for sweeps. */
#ifndef COALESCED_SERVER_QUEUE_PRIVATE_H
#define COALESCED_SERVER_QUEUE_PRIVATE_H

#include <pthread.h>

#include "server/queue/queue.h"
#include "server/queue/order.h"
#include "server/store/write.h"

enum { DURATIONS = 16 };

/* One experiment, from its commit until its end is committed. */
struct entry {
    struct order_node order; /* first, so that a node is its entry */
    struct entry *chain;     /* the next one in its chain of the index */
    struct task task;        /* request points behind the struct */
    struct batch *batch;     /* its sweep; NULL: none */
    struct entry *batch_next, *batch_previous;
    int64_t started_ms, started_ns;
    enum { WAITING, RUNNING, ENDING } phase; /* ENDING: its end is handed over and not yet committed */
    bool cancelled;                          /* while it runs */
};

/* A sweep, as long as not all of its experiments have ended. */
struct batch {
    char id[ID_BYTES];
    struct batch *next, *previous;
    struct entry *entries;
    int left; /* how many there are */
};

struct device_queue {
    struct order_node *waiting;
    struct entry *running;
    pthread_cond_t ready;
    int wake_fd;
    double durations_s[DURATIONS]; /* of the last ones, in a ring */
    int64_t durations;             /* how many there ever were */
};

/* `lock` guards all but `config` and `store`. The store's lock may be taken with it held, never the reverse:
   the writer holds nothing when it calls done(). Writes are handed over with it held, so that they reach the
   database in the order in which states changed. */
struct queue {
    struct queue_config config;
    struct store *store;
    pthread_mutex_t lock;
    bool stopping;
    int queued; /* in all devices, and submissions on their way */
    struct entry **chains;
    uint64_t chain_mask;
    struct batch *batches;
    struct device_queue devices[];
};

/* Changes of state on their way to the store, and what follows from their commit. */
struct transition {
    struct store_write write;
    struct queue *queue;
    struct entry *ended;                        /* NULL: none; freed after the commit */
    struct error failure;                       /* of the one that ended */
    struct error *report;                       /* NULL: a failure is logged */
    void (*done)(void *, const struct error *); /* NULL: nobody waits */
    void *arg;
    char result[];
};

/* ---- queue.c ---- */

/* Without an id. NULL: no memory. */
struct entry *entry_new(int device, int priority, int attempt, double timeout_s, const char *request);

/* With the lock held. */
struct entry *entry_find(struct queue *queue, const char *id); /* NULL: none */
void entry_enter(struct queue *queue, struct entry *entry);    /* into the index */
void entry_wait(struct queue *queue, struct entry *entry);     /* to its place among the waiting */
void entry_unwait(struct queue *queue, struct entry *entry, int phase);

/* Out of the index and out of its sweep. True when that was the sweep's last one, whose id is written to `over`:
   to be told with queue_swept(). */
bool entry_leave(struct queue *queue, struct entry *entry, char over[ID_BYTES]);

/* As queue_position(). */
int entry_place(struct queue *queue, const struct entry *entry, double *ahead_s);

double device_mean_s(const struct device_queue *device); /* negative: nothing ran yet */

/* Without the lock. */
void queue_changed(struct queue *queue, const char *id, enum job_state state);
void queue_swept(struct queue *queue, const char *sweep);

/* `ending` may be NULL. NULL: no memory. */
struct transition *transition_new(struct queue *queue, const struct ending *ending);

/* A change to be filled in. */
struct store_change *transition_add(struct transition *transition, const char *id, enum job_state state,
                                    int attempt);

/* With the lock held: the end of `entry`, which runs or waits no more; transition->failure tells why unless
   its kind is ERROR_NONE. */
void transition_end(struct transition *transition, struct entry *entry, enum job_state state);

/* ---- queue_sweep.c, with the lock held ---- */

struct batch *batch_find(struct queue *queue, const char *id); /* NULL: none */
struct batch *batch_new(const char *id);                       /* NULL: no memory */
void batch_enter(struct queue *queue, struct batch *batch);
void batch_join(struct batch *batch, struct entry *entry);

/* True when that was the last one, and the batch is no more. */
bool batch_part(struct queue *queue, struct entry *entry);

#endif

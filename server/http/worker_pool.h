/* A few threads for what takes too long for the threads that serve connections: exports, pages, filters. They run at a low
   priority, so that a short request gets the processor first. Clients take turns: after a task of one client comes one
   of the next, and one client has at most half of the threads. So somebody with hundreds of tasks delays others by one
   task each turn. Who has more to do after a task adds the next one, behind the client's others. */
#ifndef COALESCED_SERVER_HTTP_WORKER_POOL_H
#define COALESCED_SERVER_HTTP_WORKER_POOL_H

#include <stdint.h>

#include "base/error.h"

struct worker_pool;

/* Part of the caller's own struct, so that adding cannot fail. It must last until `run` is called, and may be freed
   there. */
struct worker_task {
    void (*run)(struct worker_task *task);
    uint64_t client; /* equal for tasks of one client */
    /* the worker pool's own, while it waits */
    struct worker_task *next; /* of its client */
    /* valid only in the first task of a client */
    struct worker_task *client_tail;      /* the client's last one */
    struct worker_task *next_client_head; /* the first one of the client whose turn is next */
    struct worker_task *next_in_slot;     /* that of another client, in the worker pool's table of clients */
};

int worker_pool_start(struct worker_pool **worker_pool, int threads, struct error *error);

/* Any thread; does not block. */
void worker_pool_add(struct worker_pool *worker_pool, struct worker_task *task);

/* Returns when every task that was added has run; none may be added any more. NULL is allowed. */
void worker_pool_stop(struct worker_pool *worker_pool);

#endif

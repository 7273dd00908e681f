/* A few threads ("worker") for what takes too long for the threads that serve connections: exports, pages of
   lists, comparisons. They run at a low priority, so that short requests come first. Clients are served in
   rotation, and one client has at most half of the threads, so a client with hundreds of tasks delays another
   one by one task. A task that is to go on adds itself again, behind the tasks of other clients. */
#pragma once

#include <stdint.h>
#include <sys/queue.h>

#include "base/error.h"

struct worker_pool;

/* Part of its owner's struct, so that adding it cannot fail. It must live until `run` is called, and may be
   freed there. */
struct worker_task {
    void (*run)(struct worker_task *task);
    uint64_t client; /* equal for tasks of one client */
    /* private to worker_pool.c, while the task waits */
    struct worker_task *next; /* of the same client */
    /* only in the first task of a client */
    struct worker_task *last; /* of the same client */
    TAILQ_ENTRY(worker_task) in_rotation;
    LIST_ENTRY(worker_task) in_slot;
};

int worker_pool_start(struct worker_pool **worker_pool, int threads, struct error *error);

/* Any thread; does not block. */
void worker_pool_add(struct worker_pool *worker_pool, struct worker_task *task);

/* Returns when every added task has run; none may be added any more. NULL is allowed. */
void worker_pool_stop(struct worker_pool *worker_pool);

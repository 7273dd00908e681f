/* One thread, "periodic", for short work that is repeated, so that none of it needs a thread of its own.

   | job         | file              | when                               | work                        |
   |-------------|-------------------|------------------------------------|-----------------------------|
   | connections | http/peer.c       | each second, at the end of a wait  | deadlines, waits, log lines |
   | retention   | store/retention.c | each 2 s, 4 ms while there is more | hands over the next removal |

   A job must not wait for a device, for another process or for a commit: no other job runs meanwhile. Work
   that may take longer has a thread of its own or runs in the worker pool (http/worker_pool.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/error.h"

/* Part of its owner's struct. The owner sets `run` and `arg` before periodic_add(). */
struct periodic_job {
    /* Returns the time of the next run, on the clock of clock_monotonic_ns(); INT64_MAX: when periodic_wake()
       says. `now_ns` is the present time. May take its owner's locks. */
    int64_t (*run)(void *arg, int64_t now_ns);
    void *arg;
    /* private to periodic.c */
    bool added;
    int64_t due_ns;
    LIST_ENTRY(periodic_job) link;
};

/* Runs the job at once and then whenever it is due; the first job starts the thread. Jobs are added and
   removed by one thread at a time. 0, or -1 with ERROR_SYSTEM. */
int periodic_add(struct periodic_job *job, struct error *error);

/* Returns when the job does not run and will not run again; the last one ends the thread. The caller holds no
   lock that the job takes. A job that was not added (all zero) is allowed. */
void periodic_remove(struct periodic_job *job);

/* Runs the job at that time, unless it is due before. Any thread, with any lock held. A job that was removed
   does not run. */
void periodic_wake(struct periodic_job *job, int64_t at_ns);

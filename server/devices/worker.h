/* One thread for each device. It takes one experiment at a time from the queue, has it counted where that was
   asked for (counting_executor.h), then timed (supervisor.h), and gives the result back to the queue. Both
   executors are its own, so they never work at the same time. */
#pragma once

#include "server/devices/executor_session.h"
#include "server/queue/queue_worker.h"

struct worker;
struct readings;
struct device_identity;

/* All are called from the worker's thread, must not block, and may be NULL. */
struct worker_callbacks {
    /* What runs on the device: a phase of the task and its samples so far (negative: not said), or its end
       (phase NULL). */
    void (*progress)(void *arg, int device, const struct task *task, const char *phase, int samples);
    void *progress_arg;
    struct readings *readings;              /* gets what executors read of the device */
    const struct device_identity *identity; /* gets the hellos of executors that time; the pool's own */
    /* Returns the constants that the device measured itself, as calibration_json_write() has them, to be
       freed; NULL: none. Called before each run, after the executor's hello. */
    char *(*calibration)(void *arg, int device);
    void *calibration_arg;
};

/* Starts the thread, which lives until worker_stop(). Copies *callbacks, borrows the rest. -1: ERROR_MEMORY,
   ERROR_SYSTEM. */
int worker_start(struct worker **worker, const struct executor_config *config,
                 const struct worker_callbacks *callbacks, struct queue *queue, struct devices *devices,
                 struct error *error);

/* Lets the thread and its executors end once what runs has ended; returns at once. The queue must give it
   nothing more. */
void worker_leave(struct worker *worker);

/* True when worker_stop() would return at once. */
bool worker_left(struct worker *worker);

/* After queue_stop(): waits for the grace, hands a running experiment that did not end back to the queue
   uncounted, ends the executors, joins the thread, frees. After worker_leave() alone: waits for the end of
   what runs. */
void worker_stop(struct worker *worker);

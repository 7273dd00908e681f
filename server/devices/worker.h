/* One thread for each device. It takes one experiment at a time from the queue, has it counted where that was
   asked for (counting_executor.h), then timed (supervisor.h), and gives the result back to the queue. Both
   executors are its own, so they never work at the same time. */
#ifndef COALESCED_SERVER_DEVICES_WORKER_H
#define COALESCED_SERVER_DEVICES_WORKER_H

#include "base/error.h"
#include "server/devices/devices.h"
#include "server/queue/queue_worker.h"

struct worker;
struct readings;

/* All are called from the worker's thread (said_hello from the caller's of worker_probe(), too), must not
   block, and may be NULL. */
struct worker_callbacks {
    /* What runs on the device: a phase of the task and its samples so far (negative: not said), or its end
       (phase NULL). */
    void (*progress)(void *arg, int device, const struct task *task, const char *phase, int samples);
    void *progress_arg;
    struct readings *readings; /* gets what executors read of the device */
    /* A hello of the executor that times, as it came. */
    void (*said_hello)(void *arg, int device, const char *header);
    void *said_hello_arg;
    /* Returns the constants that the device measured itself, as calibration_json_write() has them, to be
       freed; NULL: none. Called before each run, after the executor's hello. */
    char *(*calibration)(void *arg, int device);
    void *calibration_arg;
};

struct worker_config {
    /* argv of the executor, ended by NULL: "--device SPEC" is appended */
    const char *const *executor_command;
    bool own;             /* the command is this program, on this machine */
    const char *name;     /* for the log; NULL: "device 0" */
    const char *spec;     /* which device: "auto:0", "cuda:1", "cpu" */
    const char *lock_dir; /* of the executors, passed on as --lock-dir; NULL: their own choice */
    /* Whether a command that is not this program may be started a second time, to count: this may cost
       another allocation. */
    bool counting;
    double count_s; /* how long a count may take beside its experiment's timeout_s; 0: the default */
    /* True: an idle device has no process; one is started when there is work, and once where nothing is known
       of the device. False: an executor without a context stays. */
    bool release;
    /* After so long without work an executor is ended; without `release` one that has a context is
       replaced. */
    double idle_s;
    double hold_s;  /* with `release`: but not earlier than so long after its hello */
    double start_s; /* how long a start may take, to the hello: it may wait for an allocation */
    double grace_s; /* how long a running experiment may go on at a stop */
    /* The lease of an executor whose end cannot be seen from here (api/protocol.h). 0: none, as for this
       program. */
    double heartbeat_s;
    double lost_s; /* an executor is lost after so long without a message; more than heartbeat_s */
    /* argv of a command whose first line says what a start waits for ("Resources"), ended by NULL; run every
       few seconds during a start. NULL: only the standard error of the executor's command says it. */
    const char *const *why_command;
    struct worker_callbacks callbacks;
};

/* Starts an executor on the caller's thread, waits for its hello and ends it. Returns how many devices such
   an executor sees ("auto:0" of 3), or -1. */
int worker_probe(const struct worker_config *config, struct error *error);

/* Starts the thread, which lives until worker_stop(). Copies all of *config. -1: ERROR_MEMORY,
   ERROR_SYSTEM. */
int worker_start(struct worker **worker, int device, const struct worker_config *config, struct queue *queue,
                 struct devices *devices, struct error *error);

/* Lets the thread and its executors end once what runs has ended; returns at once. The queue must give it
   nothing more. */
void worker_leave(struct worker *worker);

/* True when worker_stop() would return at once. */
bool worker_left(struct worker *worker);

/* After queue_stop(): waits for the grace, hands a running experiment that did not end back to the queue
   uncounted, ends the executors, joins the thread, frees. After worker_leave() alone: waits for the end of
   what runs. */
void worker_stop(struct worker *worker);

#endif

/* One thread a device: takes one experiment at a time, has it counted by one executor (sibling.h) where that was asked for,
   and then timed by the other (supervisor.h), and writes down what came back. */
#ifndef COALESCED_SERVER_DEVICES_WORKER_H
#define COALESCED_SERVER_DEVICES_WORKER_H

#include "base/error.h"
#include "server/devices/devices.h"
#include "server/queue/queue.h"

struct worker;
struct readings;

struct worker_config {
    const char *const
        *executor_command; /* argv of the executor, ended by NULL: "--device SPEC" is appended */
    bool own;              /* that is this program, on this machine */
    const char *spec;      /* which device: "auto:0", "cuda:1", "cpu" */
    const char
        *lock_dir;  /* where executors hold their locks; passed on as --lock-dir; NULL: their own choice */
    double count_s; /* how long a count may take beside its experiment's timeout_s; 0: the default */
    double idle_s;  /* replace an executor that has a context after so long without work */
    double grace_s; /* how long a running experiment may still take at a stop */
    double hello_s; /* how long an executor may take to say hello */
    struct readings *readings; /* are told what executors read of the device; NULL: nobody is */
};

/* Starts an executor, without a thread yet, and waits for its hello: tells how many devices such an
   executor sees ("auto:0" of 3) so that the caller knows how many workers to start. Returns the number, or
   -1. */
int worker_probe(const struct worker_config *config, struct error *error);

/* Starts the thread. It lives until worker_stop(); everything in *config is copied. */
int worker_start(struct worker **worker, int device, const struct worker_config *config, struct queue *queue,
                 struct devices *devices, struct error *error);

/* After queue_stop(): waits for the grace, hands the running experiment back uncounted when it did not end,
   ends the executor, joins the thread, frees. */
void worker_stop(struct worker *worker);

#endif

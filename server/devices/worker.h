/* One thread a device: takes one experiment at a time, has it counted by one executor (counting executor.h) where that was asked for,
   and then timed by the other (supervisor.h), and writes down what came back. */
#ifndef COALESCED_SERVER_DEVICES_WORKER_H
#define COALESCED_SERVER_DEVICES_WORKER_H

#include "base/error.h"
#include "server/devices/devices.h"
#include "server/queue/queue_worker.h"

struct worker;
struct readings;

/* Whom a worker asks and tells. All from the worker's thread, said_hello from the caller's of worker_probe(), too; none may
   block; NULL: nobody is there. */
struct worker_callbacks {
    /* Is told what runs on the device: a phase of the task and its samples so far (negative: not told), or that it is over
       (phase NULL). */
    void (*progress)(void *arg, int device, const struct task *task, const char *phase, int samples);
    void *progress_arg;
    struct readings *readings; /* are told what executors read of the device */
    /* Is told each hello of the executor that times, the line as it came. */
    void (*said_hello)(void *arg, int device, const char *line);
    void *said_hello_arg;
    /* Says the constants that the device measured itself, as calibration_write() has them, to be freed; NULL: none. Is asked
       before each run, once its executor has said hello. */
    char *(*calibration)(void *arg, int device);
    void *calibration_arg;
};

struct worker_config {
    const char *const
        *executor_command; /* argv of the executor, ended by NULL: "--device SPEC" is appended */
    bool own;              /* that is this program, on this machine */
    const char *name;      /* for the log; NULL: "device 0" */
    const char *spec;      /* which device: "auto:0", "cuda:1", "cpu" */
    const char
        *lock_dir; /* where executors hold their locks; passed on as --lock-dir; NULL: their own choice */
    bool
        /* another command than our own may be started a second time, to count: that may be another
         * allocation */
        counting;
    double count_s; /* how long a count may take beside its experiment's timeout_s; 0: the default */
    /* What idle means. True: no process at all without work, one is started when there is; what is known of the device is
       what its row in devices.h holds, and a device of which nothing is known is started once to learn it. False: an
       executor without a context stays. */
    bool release;
    /* So long without work, and an executor is let go; without `release`: one that has a context is replaced. */
    double idle_s;
    double hold_s;  /* with `release`: but not earlier than so long after its hello */
    double start_s; /* how long a start may take, to the hello: an allocation may be waited for */
    double grace_s; /* how long a running experiment may still take at a stop */
    /* The lease of an executor whose end cannot be seen from here (api/protocol.h). 0: none, as for our own. */
    double heartbeat_s;
    double lost_s; /* heard nothing for so long, an executor is lost; more than heartbeat_s */
    /* A command whose first line says what a start waits for ("Resources"); asked every few seconds meanwhile. argv, ended
       by NULL; NULL: only what the executor's command says on standard error is told. */
    const char *const *why_command;
    struct worker_callbacks told;
};

/* Starts an executor, without a thread yet, and waits for its hello: tells how many devices such an
   executor sees ("auto:0" of 3) so that the caller knows how many workers to start. Returns the number, or
   -1. */
int worker_probe(const struct worker_config *config, struct error *error);

/* Starts the thread. It lives until worker_stop(); everything in *config is copied. */
int worker_start(struct worker **worker, int device, const struct worker_config *config, struct queue *queue,
                 struct devices *devices, struct error *error);

/* Ends the thread and its executors once what runs has ended; returns at once. The queue must give it nothing more. */
void worker_leave(struct worker *worker);

/* Would worker_stop() return at once? */
bool worker_left(struct worker *worker);

/* After queue_admin_stop(): waits for the grace, hands the running experiment back uncounted when it did not end,
   ends the executor, joins the thread, frees. After worker_leave() alone: waits for the end of what runs. */
void worker_stop(struct worker *worker);

#endif

#include "server/devices/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "server/devices/supervisor.h"

/* How often an idle worker looks whether its executor is still there. */
enum { LOOK_MS = 500 };

struct worker {
    int device;
    struct queue *queue;
    struct supervisor *supervisor;
    int alone; /* so many runs are counted without what is ahead of them */
    pthread_t thread;
};

static enum wish wish_of(void *arg)
{
    const struct worker *worker = arg;
    if (queue_cancelled(worker->queue, worker->device))
        return WISH_CANCEL;
    return queue_stopping(worker->queue) ? WISH_STOP : WISH_NOTHING;
}

static void look_ahead(void *arg, struct ahead *ahead)
{
    const struct worker *worker = arg;
    if (worker->alone == 0)
        queue_ahead(worker->queue, worker->device, ahead);
}

static struct supervisor_config config_of(const struct worker_config *config)
{
    return (struct supervisor_config){
        .command = config->executor_command,
        .spec = config->spec,
        .lock_dir = config->lock_dir,
        .hello_s = config->hello_s,
        .idle_s = config->idle_s,
        .grace_s = config->grace_s,
        .wake_fd = -1,
    };
}

static enum job_state state_of(const struct outcome *outcome)
{
    if (outcome->end == OUTCOME_RESULT)
        return JOB_SUCCEEDED;
    return outcome->failure.kind == ERROR_CANCELLED ? JOB_CANCELLED : JOB_FAILED;
}

/* Runs one and ends it; returns the next, which then goes to the executor before this one's end is on disk.
 */
static const struct task *run(struct worker *worker, const struct task *task)
{
    struct outcome outcome;
    const struct task *next = NULL;
    supervisor_run(worker->supervisor, task->id, task->request, task->timeout_s, &outcome);
    if (outcome.end == OUTCOME_DOUBTFUL)
        worker->alone = 1 + PROTOCOL_AHEAD; /* it again, and all of those that may be at fault */
    else if (worker->alone)
        worker->alone--;
    if (outcome.end == OUTCOME_UNTOUCHED || outcome.end == OUTCOME_DOUBTFUL) {
        queue_hand_back(worker->queue, worker->device, false);
    } else {
        const struct ending ending = {
            .state = state_of(&outcome),
            .result = outcome.result,
            .failure = outcome.end == OUTCOME_RESULT ? NULL : &outcome.failure,
        };
        next = queue_turn(worker->queue, worker->device, &ending);
    }
    if (next && !supervisor_usable(worker->supervisor)) {
        /* A fresh executor may take long, or not come at all: meanwhile nothing runs. */
        queue_hand_back(worker->queue, worker->device, false);
        next = NULL;
    }
    outcome_free(&outcome);
    return next;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    while (!queue_stopping(worker->queue)) {
        /* Before the wait, so that the device's limits are known early; and after it, because an executor may
           have died meanwhile and an experiment must not pay for that. */
        if (supervisor_ready(worker->supervisor) < 0 || !queue_wait(worker->queue, worker->device, LOOK_MS) ||
            supervisor_ready(worker->supervisor) < 0)
            continue;
        const struct task *task = queue_turn(worker->queue, worker->device, NULL);
        while (task)
            task = run(worker, task);
    }
    supervisor_free(worker->supervisor); /* in here: the executor would not outlive this thread */
    return NULL;
}

int worker_probe(const struct worker_config *config, struct error *error)
{
    struct supervisor_config supervisor = config_of(config);
    return supervisor_probe(&supervisor, error);
}

int worker_start(struct worker **out, int device, const struct worker_config *config, struct queue *queue,
                 struct devices *devices, struct error *error)
{
    struct worker *worker = calloc(1, sizeof *worker);
    struct supervisor_config supervisor = config_of(config);
    sigset_t all, before;
    if (!worker)
        return error_set(error, ERROR_MEMORY, "no memory for a worker");
    worker->device = device;
    worker->queue = queue;
    supervisor.device = device;
    supervisor.wake_fd = queue_wake_fd(queue, device);
    supervisor.wish = wish_of;
    supervisor.wish_arg = worker;
    supervisor.look_ahead = look_ahead;
    if (supervisor_new(&worker->supervisor, &supervisor, devices, error) < 0)
        goto failed;
    /* Signals are main's affair; and a write to a dead executor must not end the service. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = pthread_create(&worker->thread, NULL, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number) {
        error_set_errno(error, number, "no thread for device %d", device);
        goto failed;
    }
    *out = worker;
    return 0;
failed:
    supervisor_free(worker->supervisor);
    free(worker);
    return -1;
}

void worker_stop(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
    free(worker);
}

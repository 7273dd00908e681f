/* The loop of worker.h: idle, ready, count, time, hand back. */
#include "server/devices/worker.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "api/experiment_json.h"
#include "base/thread.h"
#include "server/devices/counting_executor.h"
#include "server/devices/device_identity.h"
#include "server/devices/readings.h"
#include "server/devices/supervisor.h"
#include "server/metrics/metrics.h"
#include "server/queue/queue_view.h"

/* How often an idle worker checks its executors, and a waiting one the other executor. */
enum { LOOK_MS = 500 };

struct worker {
    struct queue *queue;
    const struct executor_config *config;
    struct supervisor *timing;
    struct counting_executor counting;
    int look_ms;
    bool starting; /* an executor, because there is work; the thread's alone */
    pthread_t thread;
    atomic_bool leaving, left;
    const struct task *task; /* NULL: none; the thread's alone */
    struct worker_callbacks callbacks;
    struct executor_callbacks executor_callbacks;
};

static enum interrupt interrupt_of(void *arg)
{
    const struct worker *worker = arg;
    if (queue_view_cancelled(worker->queue, worker->config->number))
        return INTERRUPT_CANCEL;
    /* A worker that leaves waits for the end of its task alone. */
    bool leaves = atomic_load(&worker->leaving) && !worker->task;
    if (leaves || queue_view_stopping(worker->queue))
        return INTERRUPT_STOP;
    return worker->starting && !queue_worker_needed(worker->queue, worker->config->number)
               ? INTERRUPT_NEEDLESS
               : INTERRUPT_NONE;
}

static void on_readiness(void *arg, enum device_readiness readiness, bool context)
{
    static const enum queue_readiness as[] = {
        [DEVICE_UNHEALTHY] = QUEUE_OUT,
        [DEVICE_AWAY] = QUEUE_AWAY,
        [DEVICE_STARTING] = QUEUE_STARTING,
        [DEVICE_READY] = QUEUE_COLD,
    };
    const struct worker *worker = arg;
    queue_worker_readiness(worker->queue, worker->config->number,
                           readiness == DEVICE_READY && context ? QUEUE_WARM : as[readiness]);
}

/* During a wait for one executor both get their beats, and their messages are read. */
static void on_tick(void *arg)
{
    const struct worker *worker = arg;
    supervisor_tick(worker->timing);
    supervisor_tick(worker->counting.supervisor);
}

static void on_progress(void *arg, const char *id, const char *phase, int samples)
{
    const struct worker *worker = arg;
    if (worker->callbacks.progress && worker->task && strcmp(id, worker->task->id) == 0)
        worker->callbacks.progress(worker->callbacks.progress_arg, worker->config->number, worker->task,
                                   phase, samples);
}

static void on_hello(void *arg, const char *header)
{
    const struct worker *worker = arg;
    if (worker->callbacks.identity)
        device_identity_hello(worker->callbacks.identity, worker->config->number, header);
}

/* Starts the executor that times, if need be. 0; -1: there is none. */
static int timing_start(struct worker *worker)
{
    counting_executor_settle(&worker->counting);
    return supervisor_start(worker->timing, true);
}

/* counters NULL: nothing was counted. */
static void time_once(struct worker *worker, const struct task *task, const char *counters,
                      struct executor_outcome *outcome)
{
    *outcome = (struct executor_outcome){.end = OUTCOME_UNTOUCHED};
    counting_executor_settle(&worker->counting);
    /* Where a start may take long, the experiment goes back to the queue for it. */
    if (!supervisor_usable(worker->timing) &&
        (worker->config->listing.release || supervisor_start(worker->timing, true) < 0))
        return;
    const struct worker_callbacks *callbacks = &worker->callbacks;
    char *calibration = NULL; /* asked for after the hello: before it, the device may be another one */
    if (callbacks->calibration)
        calibration = callbacks->calibration(callbacks->calibration_arg, worker->config->number);
    int64_t counting_pid = supervisor_status(worker->counting.supervisor)->own.pid[0];
    const struct run_along along = {counters, calibration, counting_pid};
    struct buffer frame = protocol_write_run(task->id, worker->config->number, task->request, &along);
    const struct executor_question question = {MESSAGE_RESULT, task->id, &frame, task->timeout_s, false};
    supervisor_ask(worker->timing, &question, outcome);
    free(calibration);
    buffer_free(&frame);
}

/* Tries again without the counting executor when the device's memory was full. */
static void time_task(struct worker *worker, const struct task *task, const char *counters,
                      struct executor_outcome *outcome)
{
    time_once(worker, task, counters, outcome);
    if (outcome->end != OUTCOME_FAILED || outcome->failure.kind != ERROR_OUT_OF_MEMORY ||
        !supervisor_free_device(worker->counting.supervisor))
        return;
    protocol_message_free(&outcome->answer);
    time_once(worker, task, counters, outcome);
}

/* Counts first, where that was asked for, so that no counting disturbs the timing. */
static void task_ask(struct worker *worker, const struct task *task, struct executor_outcome *outcome)
{
    const char *counters = NULL;
    enum counting_executor_end end = COUNTING_DONE;
    *outcome = (struct executor_outcome){.end = OUTCOME_UNTOUCHED};
    /* A run that may outlive the service is on disk as running before it begins. */
    if (worker->config->heartbeat_s > 0 && !queue_worker_begun(worker->queue, worker->config->number))
        return;
    if (supervisor_status(worker->timing)->can_count && experiment_text_wants_counters(task->request))
        end = counting_executor_count(&worker->counting, task, &counters);
    if (end == COUNTING_DONE) {
        time_task(worker, task, counters, outcome);
    } else if (end == COUNTING_CANCELLED) {
        outcome->end = OUTCOME_FAILED;
        error_set(&outcome->failure, ERROR_CANCELLED, "cancelled while it was counted");
    }
}

/* What /metrics and the readings take from a run. */
static void outcome_count(const struct worker *worker, const struct task *task,
                          const struct executor_outcome *outcome)
{
    struct experiment experiment;
    /* What a user's own kernel does wrong says nothing of the device. */
    if (outcome->end == OUTCOME_FAILED && outcome->failure.kind == ERROR_INCORRECT &&
        experiment_json_read_text(&experiment, task->request, NULL, NULL) == 0)
        metrics_count(EVENT_INCORRECT, worker->config->number, experiment.kernel->name, 1);
    if (outcome->end != OUTCOME_RESULT)
        return;
    for (int code = 0; code < STABILITY_CODES; code++)
        if (outcome->answer.stability.codes & 1u << code)
            metrics_count(EVENT_UNSTABLE, worker->config->number,
                          stability_code_name((enum stability_code)code), 1);
    if (worker->callbacks.readings)
        readings_note(worker->callbacks.readings, worker->config->number, &outcome->answer.stability.latest);
}

/* Runs a task and ends it. Returns the next, which goes to the executor before this one's end is on disk;
   NULL: none. */
static const struct task *task_run(struct worker *worker, const struct task *task)
{
    struct executor_outcome outcome;
    const struct task *next = NULL;
    worker->task = task;
    task_ask(worker, task, &outcome);
    if (worker->callbacks.progress)
        worker->callbacks.progress(worker->callbacks.progress_arg, worker->config->number, task, NULL, -1);
    if (outcome.end == OUTCOME_UNTOUCHED) {
        const char *reason = outcome.failure.text[0] ? outcome.failure.text : NULL;
        queue_worker_hand_back(worker->queue, worker->config->number, false, reason);
    } else if (outcome.end == OUTCOME_LOST) {
        /* Begun again once the lease is over; a service that stops leaves it as running for the next start. */
        if (supervisor_wait_lease_end(worker->timing) || !queue_view_stopping(worker->queue))
            queue_worker_hand_back(worker->queue, worker->config->number, true, outcome.failure.text);
    } else {
        const struct ending ending = {
            .state = outcome.end == OUTCOME_RESULT             ? JOB_SUCCEEDED
                     : outcome.failure.kind == ERROR_CANCELLED ? JOB_CANCELLED
                                                               : JOB_FAILED,
            .result = outcome.answer.result,
            .samples = &outcome.answer.samples,
            .failure = outcome.end == OUTCOME_RESULT ? NULL : &outcome.failure,
        };
        counting_executor_forget(&worker->counting, task->id);
        outcome_count(worker, task, &outcome);
        next = queue_worker_next(worker->queue, worker->config->number, &ending);
    }
    worker->task = NULL; /* here, because a worker that leaves waits for a lost executor too */
    if (next && !supervisor_usable(worker->timing)) {
        /* A new executor may take long to start, or fail: the task waits in the queue. */
        queue_worker_hand_back(worker->queue, worker->config->number, false, NULL);
        next = NULL;
    }
    protocol_message_free(&outcome.answer);
    return next;
}

/* True when there is an executor, or none is needed without work. */
static bool idle_settle(struct worker *worker)
{
    if (!worker->config->listing.release || !supervisor_status(worker->timing)->known)
        return timing_start(worker) == 0;
    counting_executor_settle(&worker->counting);
    supervisor_pause(worker->timing);
    return true;
}

static void executors_free(struct worker *worker)
{
    supervisor_free(worker->timing);
    supervisor_free(worker->counting.supervisor);
    counting_executor_clear(&worker->counting);
}

static void *worker_main(void *arg)
{
    struct worker *worker = arg;
    while (!queue_view_stopping(worker->queue) && !atomic_load(&worker->leaving)) {
        /* Before the wait, so that the device's limits are known early; and after it, because the executor
           may have died meanwhile. */
        if (!idle_settle(worker))
            continue;
        if (!queue_worker_wait(worker->queue, worker->config->number, worker->look_ms)) {
            /* A drained device is free for others: after the last run no executor of ours stays on it. */
            if (queue_view_held(worker->queue, worker->config->number)) {
                supervisor_free_device(worker->counting.supervisor);
                supervisor_free_device(worker->timing);
            }
            continue;
        }
        worker->starting = worker->config->listing.release;
        int failed = timing_start(worker); /* also when the executor is not needed any more */
        worker->starting = false;
        if (failed)
            continue;
        const struct task *task = queue_worker_next(worker->queue, worker->config->number, NULL);
        while (task)
            task = task_run(worker, task);
    }
    /* By this thread: the executors end with the thread that started them. */
    executors_free(worker);
    atomic_store(&worker->left, true);
    return NULL;
}

/* Makes both supervisors. */
static int executors_make(struct worker *worker, struct devices *devices, struct error *error)
{
    worker->executor_callbacks = (struct executor_callbacks){
        .arg = worker,
        .interrupt = interrupt_of,
        .wake_fd = queue_worker_wake_fd(worker->queue, worker->config->number),
        .progress = on_progress,
        .tick = worker->config->listing.own ? NULL : on_tick,
        .tick_s = worker->look_ms / 1000.0,
        .hello = on_hello,
        .readiness = on_readiness,
    };
    const struct executor_callbacks *callbacks = &worker->executor_callbacks;
    const struct executor_config *config = worker->config;
    struct counting_executor *counting = &worker->counting;
    if (supervisor_new(&counting->supervisor, true, config, callbacks, devices, error) < 0 ||
        supervisor_new(&worker->timing, false, config, callbacks, devices, error) < 0)
        return -1;
    counting->timing = worker->timing;
    counting->config = config;
    counting->callbacks = callbacks;
    counting->queue = worker->queue;
    return 0;
}

int worker_start(struct worker **out, const struct executor_config *config,
                 const struct worker_callbacks *callbacks, struct queue *queue, struct devices *devices,
                 struct error *error)
{
    struct worker *worker = calloc(1, sizeof *worker);
    sigset_t all, before;
    char name[16];
    if (!worker)
        return error_set(error, ERROR_MEMORY, "no memory for a worker");
    snprintf(name, sizeof name, "device-%d", config->number);
    worker->queue = queue;
    worker->config = config;
    worker->look_ms = config->heartbeat_s > 0 ? (int)fmin(config->heartbeat_s * 500 + 1, LOOK_MS) : LOOK_MS;
    worker->callbacks = *callbacks;
    if (executors_make(worker, devices, error) < 0)
        goto failed;
    /* main() handles signals; and SIGPIPE of a write to a dead executor must not end the service. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = thread_start(&worker->thread, name, worker_main, worker, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == 0) {
        *out = worker;
        return 0;
    }
failed:
    executors_free(worker);
    free(worker);
    return -1;
}

void worker_leave(struct worker *worker)
{
    atomic_store(&worker->leaving, true);
    eventfd_write(queue_worker_wake_fd(worker->queue, worker->config->number), 1);
}

bool worker_left(struct worker *worker)
{
    return atomic_load(&worker->left);
}

void worker_stop(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
    free(worker);
}

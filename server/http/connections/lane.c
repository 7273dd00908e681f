#include "server/http/connections/lane.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

enum { NICE = 5 }; /* a third of what others get: executors on the same processor must not stop the lane */
static const int64_t trim_after_ns = 1000000000;

struct lane_thread {
    struct lane *lane;
    pthread_t thread;
    bool busy;
    uint64_t client; /* whose task it runs, while it is busy */
};

struct lane {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t added;
    struct lane_task *first, *last; /* each client's first task, in the order of their turns */
    bool stopped;
    int64_t trim_at_ns; /* 0: no task ran since the last time */
    int count, each;    /* threads, and how many of them one client may have */
    struct lane_thread threads[];
};

static bool client_may(const struct lane *lane, uint64_t client)
{
    int busy = 0;
    for (int i = 0; i < lane->count; i++)
        busy += lane->threads[i].busy && lane->threads[i].client == client;
    return busy < lane->each;
}

/* A client's first task joins the clients that wait for a turn; it knows the last of its line. */
static void client_append(struct lane *lane, struct lane_task *first)
{
    first->next_client = NULL;
    *(lane->last ? &lane->last->next_client : &lane->first) = first;
    lane->last = first;
}

/* The first task of the next client that may have another thread; the client's next task goes behind all others. NULL: there
   is none. */
static struct lane_task *task_take(struct lane *lane)
{
    struct lane_task *before = NULL, *task = lane->first;
    while (task && !client_may(lane, task->client)) {
        before = task;
        task = task->next_client;
    }
    if (!task)
        return NULL;
    *(before ? &before->next_client : &lane->first) = task->next_client;
    if (lane->last == task)
        lane->last = before;
    if (task->next) {
        task->next->last = task->last;
        client_append(lane, task->next);
    }
    return task;
}

static bool is_idle(const struct lane *lane)
{
    int busy = 0;
    for (int i = 0; i < lane->count; i++)
        busy += lane->threads[i].busy;
    return !busy;
}

/* Waits for a task. An idle lane first gives back to the system what its tasks have freed, which may be hundreds of megabytes;
   the library keeps what is free between two pieces in use. */
static void task_wait(struct lane *lane)
{
    if (!lane->trim_at_ns || !is_idle(lane)) {
        pthread_cond_wait(&lane->added, &lane->lock);
    } else if (clock_monotonic_ns() < lane->trim_at_ns) {
        struct timespec until = {.tv_sec = lane->trim_at_ns / 1000000000,
                                 .tv_nsec = lane->trim_at_ns % 1000000000};
        pthread_cond_timedwait(&lane->added, &lane->lock, &until);
    } else {
        lane->trim_at_ns = 0;
        pthread_mutex_unlock(&lane->lock);
        malloc_trim(0);
        pthread_mutex_lock(&lane->lock);
    }
}

static void task_run(struct lane *lane, struct lane_thread *self, struct lane_task *task)
{
    self->busy = true;
    self->client = task->client;
    pthread_mutex_unlock(&lane->lock);
    task->run(task);
    pthread_mutex_lock(&lane->lock);
    self->busy = false;
    if (!lane->trim_at_ns)
        lane->trim_at_ns = clock_monotonic_ns() + trim_after_ns;
}

static void *lane_main(void *arg)
{
    struct lane_thread *self = arg;
    struct lane *lane = self->lane;
    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread alone, as Linux has it */
    pthread_mutex_lock(&lane->lock);
    for (;;) {
        struct lane_task *task = task_take(lane);
        if (task)
            task_run(lane, self, task);
        else if (lane->stopped)
            break; /* a task that waits is of a client that has a thread, which will take it */
        else
            task_wait(lane);
    }
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

int lane_start(struct lane **out, int threads, struct error *error)
{
    struct lane *lane = calloc(1, sizeof *lane + (size_t)threads * sizeof *lane->threads);
    if (!lane)
        return error_set(error, ERROR_MEMORY, "no memory for the lane of long requests");
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->added, &monotonic);
    pthread_condattr_destroy(&monotonic);
    lane->each = (threads + 1) / 2;
    int failed = 0;
    pthread_mutex_lock(&lane->lock);
    for (; lane->count < threads && !failed; lane->count += !failed) {
        struct lane_thread *thread = &lane->threads[lane->count];
        thread->lane = lane;
        failed = pthread_create(&thread->thread, NULL, lane_main, thread);
    }
    pthread_mutex_unlock(&lane->lock);
    if (failed) {
        lane_stop(lane);
        return error_set_errno(error, failed, "cannot start a thread for long requests");
    }
    *out = lane;
    return 0;
}

void lane_add(struct lane *lane, struct lane_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&lane->lock);
    struct lane_task *first = lane->first;
    while (first && first->client != task->client)
        first = first->next_client;
    if (first) {
        first->last->next = task;
        first->last = task;
    } else {
        task->last = task;
        client_append(lane, task);
    }
    pthread_cond_signal(&lane->added);
    pthread_mutex_unlock(&lane->lock);
}

void lane_stop(struct lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lane->lock);
    lane->stopped = true;
    pthread_cond_broadcast(&lane->added);
    pthread_mutex_unlock(&lane->lock);
    for (int i = 0; i < lane->count; i++)
        pthread_join(lane->threads[i].thread, NULL);
    pthread_cond_destroy(&lane->added);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}

#include "server/http/connections/lane.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"

enum { CLIENT_SLOTS = 1024 };
enum { NICE = 5 }; /* a third of what others get: executors on the same processor must not stop the lane */
enum { TRIM_PART = 50 }; /* giving memory back takes at most that part of a thread's time */
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
    struct lane_task *first, *last;          /* each client's first task, in the order of their turns */
    struct lane_task *clients[CLIENT_SLOTS]; /* the same first tasks, by a hash of the client */
    bool stopped;
    int64_t trim_at_ns;   /* when memory is given back; 0: no task ran since the last time */
    int64_t trim_free_ns; /* not before: the last time took long */
    int count, each;      /* threads, and how many of them one client may have */
    struct lane_thread threads[];
};

static bool client_may(const struct lane *lane, uint64_t client)
{
    int busy = 0;
    for (int i = 0; i < lane->count; i++)
        busy += lane->threads[i].busy && lane->threads[i].client == client;
    return busy < lane->each;
}

/* Where the client's first task is, or NULL where it has none. */
static struct lane_task **client_find(struct lane *lane, uint64_t client)
{
    struct lane_task **at = &lane->clients[hash_bytes(&client, sizeof client) % CLIENT_SLOTS];
    while (*at && (*at)->client != client)
        at = &(*at)->next_in_slot;
    return at;
}

/* A client's first task joins the clients that wait for a turn. */
static void client_append(struct lane *lane, struct lane_task *first)
{
    struct lane_task **at = client_find(lane, first->client);
    first->next_in_slot = NULL;
    *at = first;
    first->next_client_head = NULL;
    *(lane->last ? &lane->last->next_client_head : &lane->first) = first;
    lane->last = first;
}

/* The first task of the next client that may have another thread; the client's next task goes behind all others. NULL: there
   is none. */
static struct lane_task *task_take(struct lane *lane)
{
    struct lane_task *before = NULL, *task = lane->first;
    while (task && !client_may(lane, task->client)) {
        before = task;
        task = task->next_client_head;
    }
    if (!task)
        return NULL;
    *(before ? &before->next_client_head : &lane->first) = task->next_client_head;
    if (lane->last == task)
        lane->last = before;
    struct lane_task **at = client_find(lane, task->client);
    *at = task->next_in_slot;
    if (task->next) {
        task->next->client_tail = task->client_tail;
        client_append(lane, task->next);
    }
    return task;
}

/* Gives back to the system what tasks have freed, which may be hundreds of megabytes: the library keeps what is free between
   two pieces in use. The lane need not be idle for it: with readers that always have more to come it never is. */
static void memory_trim(struct lane *lane)
{
    int64_t began_ns = clock_monotonic_ns();
    lane->trim_at_ns = 0;
    pthread_mutex_unlock(&lane->lock);
    malloc_trim(0);
    int64_t now_ns = clock_monotonic_ns();
    pthread_mutex_lock(&lane->lock);
    lane->trim_free_ns = now_ns + (now_ns - began_ns) * TRIM_PART;
}

static bool trim_is_due(const struct lane *lane)
{
    return lane->trim_at_ns && clock_monotonic_ns() >= lane->trim_at_ns;
}

/* Waits for a task, or until memory is to be given back. */
static void task_wait(struct lane *lane)
{
    if (!lane->trim_at_ns) {
        pthread_cond_wait(&lane->added, &lane->lock);
        return;
    }
    struct timespec until = {.tv_sec = lane->trim_at_ns / 1000000000,
                             .tv_nsec = lane->trim_at_ns % 1000000000};
    pthread_cond_timedwait(&lane->added, &lane->lock, &until);
}

static void task_run(struct lane *lane, struct lane_thread *self, struct lane_task *task)
{
    self->busy = true;
    self->client = task->client;
    pthread_mutex_unlock(&lane->lock);
    task->run(task);
    pthread_mutex_lock(&lane->lock);
    self->busy = false;
    if (!lane->trim_at_ns) {
        int64_t at_ns = clock_monotonic_ns() + trim_after_ns;
        lane->trim_at_ns = at_ns > lane->trim_free_ns ? at_ns : lane->trim_free_ns;
    }
}

static void *lane_main(void *arg)
{
    struct lane_thread *self = arg;
    struct lane *lane = self->lane;
    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread alone, as Linux has it */
    pthread_mutex_lock(&lane->lock);
    for (;;) {
        if (trim_is_due(lane))
            memory_trim(lane);
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
    struct lane_task *first = *client_find(lane, task->client);
    if (first) {
        first->client_tail->next = task;
        first->client_tail = task;
    } else {
        task->client_tail = task;
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

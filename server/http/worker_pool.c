/* The queue of tasks, in rotation by client, and the threads that run them. */
#include "server/http/worker_pool.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/thread.h"

enum {
    CLIENT_SLOTS = 1024,
    NICE = 5, /* a third of the processor time of other threads: executors may be busy on all processors */
    TRIM_PART = 50 /* giving memory back takes at most this part of a thread's time */
};
static const int64_t trim_after_ns = 1000000000;

struct worker_pool_thread {
    struct worker_pool *worker_pool;
    pthread_t thread;
    bool busy;
    uint64_t client; /* of its task, while it is busy */
};

struct worker_pool {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t added;
    /* the first task of each client that waits, in the order in which clients are served */
    TAILQ_HEAD(, worker_task) rotation;
    LIST_HEAD(worker_slot, worker_task) slots[CLIENT_SLOTS]; /* the same tasks, by a hash of the client */
    bool stopped;
    int64_t trim_at_ns;   /* when memory is given back; 0: no task ran since the last time */
    int64_t trim_free_ns; /* earliest time, because the last time took long */
    int count, each;      /* number of threads, and how many of them one client may have */
    struct worker_pool_thread threads[];
};

static bool client_may_run(const struct worker_pool *worker_pool, uint64_t client)
{
    int busy = 0;
    for (int i = 0; i < worker_pool->count; i++)
        busy += worker_pool->threads[i].busy && worker_pool->threads[i].client == client;
    return busy < worker_pool->each;
}

static struct worker_slot *slot_of(struct worker_pool *worker_pool, uint64_t client)
{
    return &worker_pool->slots[hash_bytes(&client, sizeof client) % CLIENT_SLOTS];
}

/* Adds a client, by its first task, behind the clients that wait. */
static void client_append(struct worker_pool *worker_pool, struct worker_task *first)
{
    TAILQ_INSERT_TAIL(&worker_pool->rotation, first, in_rotation);
    LIST_INSERT_HEAD(slot_of(worker_pool, first->client), first, in_slot);
}

/* Takes the first task of the next client that may have another thread; the client's next task goes behind
   all other clients. NULL: none. Called with the lock held. */
static struct worker_task *task_take(struct worker_pool *worker_pool)
{
    struct worker_task *task;
    TAILQ_FOREACH (task, &worker_pool->rotation, in_rotation)
        if (client_may_run(worker_pool, task->client))
            break;
    if (!task)
        return NULL;
    TAILQ_REMOVE(&worker_pool->rotation, task, in_rotation);
    LIST_REMOVE(task, in_slot);
    if (task->next) {
        task->next->last = task->last;
        client_append(worker_pool, task->next);
    }
    return task;
}

/* Returns freed memory to the system, which may be hundreds of megabytes: malloc keeps free memory between
   two allocations in use. It does not wait until the pool is idle, because readers with ever more to read
   keep it busy. */
static void memory_trim(struct worker_pool *worker_pool)
{
    int64_t began_ns = clock_thread_ns();
    worker_pool->trim_at_ns = 0;
    pthread_mutex_unlock(&worker_pool->lock);
    malloc_trim(0);
    int64_t took_ns = clock_thread_ns() - began_ns;
    pthread_mutex_lock(&worker_pool->lock);
    worker_pool->trim_free_ns = clock_monotonic_ns() + took_ns * TRIM_PART;
}

static void task_run(struct worker_pool *worker_pool, struct worker_pool_thread *self,
                     struct worker_task *task)
{
    self->busy = true;
    self->client = task->client;
    pthread_mutex_unlock(&worker_pool->lock);
    task->run(task);
    pthread_mutex_lock(&worker_pool->lock);
    self->busy = false;
    if (!worker_pool->trim_at_ns) {
        int64_t at_ns = clock_monotonic_ns() + trim_after_ns;
        worker_pool->trim_at_ns = at_ns > worker_pool->trim_free_ns ? at_ns : worker_pool->trim_free_ns;
    }
}

static void *worker_pool_main(void *arg)
{
    struct worker_pool_thread *self = arg;
    struct worker_pool *worker_pool = self->worker_pool;
    setpriority(PRIO_PROCESS, 0, NICE); /* on Linux, of this thread alone */
    pthread_mutex_lock(&worker_pool->lock);
    for (;;) {
        int64_t trim_at_ns = worker_pool->trim_at_ns ? worker_pool->trim_at_ns : INT64_MAX;
        if (clock_monotonic_ns() >= trim_at_ns) {
            memory_trim(worker_pool);
            continue;
        }
        struct worker_task *task = task_take(worker_pool);
        if (task)
            task_run(worker_pool, self, task);
        else if (worker_pool->stopped)
            break; /* if a task waits, its client has a thread, which will take it */
        else
            thread_wait_until(&worker_pool->added, &worker_pool->lock, trim_at_ns);
    }
    pthread_mutex_unlock(&worker_pool->lock);
    return NULL;
}

int worker_pool_start(struct worker_pool **out, int threads, struct error *error)
{
    struct worker_pool *worker_pool =
        calloc(1, sizeof *worker_pool + (size_t)threads * sizeof *worker_pool->threads);
    if (!worker_pool)
        return error_set(error, ERROR_MEMORY, "no memory for the worker pool");
    pthread_mutex_init(&worker_pool->lock, NULL);
    TAILQ_INIT(&worker_pool->rotation);
    thread_condition_init(&worker_pool->added);
    worker_pool->each = (threads + 1) / 2;
    int failed = 0;
    pthread_mutex_lock(&worker_pool->lock);
    for (; worker_pool->count < threads && !failed; worker_pool->count += !failed) {
        struct worker_pool_thread *thread = &worker_pool->threads[worker_pool->count];
        thread->worker_pool = worker_pool;
        failed = thread_start(&thread->thread, "worker", worker_pool_main, thread, error);
    }
    pthread_mutex_unlock(&worker_pool->lock);
    if (failed) {
        worker_pool_stop(worker_pool);
        return -1;
    }
    *out = worker_pool;
    return 0;
}

void worker_pool_add(struct worker_pool *worker_pool, struct worker_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&worker_pool->lock);
    struct worker_task *first;
    LIST_FOREACH (first, slot_of(worker_pool, task->client), in_slot)
        if (first->client == task->client)
            break;
    if (first) {
        first->last->next = task;
        first->last = task;
    } else {
        task->last = task;
        client_append(worker_pool, task);
    }
    pthread_cond_signal(&worker_pool->added);
    pthread_mutex_unlock(&worker_pool->lock);
}

void worker_pool_stop(struct worker_pool *worker_pool)
{
    if (!worker_pool)
        return;
    pthread_mutex_lock(&worker_pool->lock);
    worker_pool->stopped = true;
    pthread_cond_broadcast(&worker_pool->added);
    pthread_mutex_unlock(&worker_pool->lock);
    for (int i = 0; i < worker_pool->count; i++)
        pthread_join(worker_pool->threads[i].thread, NULL);
    pthread_cond_destroy(&worker_pool->added);
    pthread_mutex_destroy(&worker_pool->lock);
    free(worker_pool);
}

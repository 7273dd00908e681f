/* A list of jobs and the thread that runs the one that is due first. */
#include "server/periodic.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/thread.h"

/* There is one set of jobs in a process, as there is one log. */
static LIST_HEAD(, periodic_job) jobs = LIST_HEAD_INITIALIZER(jobs);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the jobs and `running` */
static pthread_cond_t changed, finished;
static struct periodic_job *running; /* NULL between two jobs */
static pthread_t thread;

static struct periodic_job *job_next(void)
{
    struct periodic_job *job, *next = LIST_FIRST(&jobs);
    LIST_FOREACH (job, &jobs, link)
        if (job->due_ns < next->due_ns)
            next = job;
    return next;
}

/* Called with the lock held, which is released while the job runs. */
static void job_run(struct periodic_job *job, int64_t now_ns)
{
    running = job;
    job->due_ns = INT64_MAX; /* periodic_wake() may set an earlier time meanwhile */
    pthread_mutex_unlock(&lock);
    int64_t next_ns = job->run(job->arg, now_ns);
    pthread_mutex_lock(&lock);
    if (next_ns < job->due_ns)
        job->due_ns = next_ns;
    running = NULL;
    pthread_cond_broadcast(&finished);
}

static void *periodic_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (struct periodic_job *job; (job = job_next());) {
        int64_t now_ns = clock_monotonic_ns();
        if (job->due_ns <= now_ns)
            job_run(job, now_ns);
        else
            thread_wait_until(&changed, &lock, job->due_ns);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int periodic_add(struct periodic_job *job, struct error *error)
{
    int status = 0;
    pthread_mutex_lock(&lock);
    bool first = LIST_EMPTY(&jobs);
    job->due_ns = 0;
    LIST_INSERT_HEAD(&jobs, job, link);
    if (first) {
        thread_condition_init(&changed);
        thread_condition_init(&finished);
        status = thread_start(&thread, "periodic", periodic_main, NULL, error);
    } else {
        pthread_cond_signal(&changed);
    }
    job->added = !status;
    if (status)
        LIST_REMOVE(job, link);
    pthread_mutex_unlock(&lock);
    return status;
}

void periodic_remove(struct periodic_job *job)
{
    if (!job->added)
        return;
    pthread_mutex_lock(&lock);
    LIST_REMOVE(job, link);
    while (running == job)
        pthread_cond_wait(&finished, &lock);
    job->added = false;
    bool last = LIST_EMPTY(&jobs);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (last)
        pthread_join(thread, NULL);
}

void periodic_wake(struct periodic_job *job, int64_t at_ns)
{
    pthread_mutex_lock(&lock);
    if (at_ns < job->due_ns) {
        job->due_ns = at_ns;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
}

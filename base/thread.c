/* Thin functions over pthreads, for what every thread of the program needs. */
#include "base/thread.h"

#include <time.h>

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg, struct error *error)
{
    int status = pthread_create(thread, NULL, run, arg);
    if (status)
        return error_set_errno(error, status, "cannot start the thread %s", name);
    pthread_setname_np(*thread, name);
    return 0;
}

void thread_stop(pthread_t thread, pthread_mutex_t *lock, pthread_cond_t *wake, bool *stop)
{
    pthread_mutex_lock(lock);
    *stop = true;
    pthread_cond_signal(wake);
    pthread_mutex_unlock(lock);
    pthread_join(thread, NULL);
}

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

int thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns)
{
    if (until_ns == INT64_MAX)
        return pthread_cond_wait(condition, lock);
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    return pthread_cond_timedwait(condition, lock, &until);
}

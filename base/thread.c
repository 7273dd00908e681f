/* Thin functions over pthreads, for what every thread of the program needs. */
#include "base/thread.h"

#include <stdint.h>
#include <time.h>

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg)
{
    int status = pthread_create(thread, NULL, run, arg);
    if (status == 0)
        pthread_setname_np(*thread, name);
    return status;
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

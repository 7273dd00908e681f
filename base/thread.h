/* Threads with names, and waits that end at a time of the monotonic clock. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Starts a thread that ps, top and gdb show by this name of at most 15 characters. 0; or -1: ERROR_SYSTEM. */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg,
                 struct error *error);

/* Ends a thread that waits for `wake` and leaves once *stop is true, which `lock` guards; and joins it. */
void thread_stop(pthread_t thread, pthread_mutex_t *lock, pthread_cond_t *wake, bool *stop);

/* Makes a condition variable for thread_wait_until(). */
void thread_condition_init(pthread_cond_t *condition);

/* pthread_cond_timedwait() until that time of clock_monotonic_ns(); INT64_MAX waits without a limit. The lock
   is held. Returns 0, or ETIMEDOUT. */
int thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns);

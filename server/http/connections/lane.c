#include "server/http/connections/lane.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct lane {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t added;
    struct lane_task *first, **end;
    bool stopped;
    int count;
    pthread_t threads[];
};

static void *lane_main(void *arg)
{
    struct lane *lane = arg;
    pthread_mutex_lock(&lane->lock);
    for (;;) {
        struct lane_task *task = lane->first;
        if (task) {
            if (!(lane->first = task->next))
                lane->end = &lane->first;
            pthread_mutex_unlock(&lane->lock);
            task->run(task);
            pthread_mutex_lock(&lane->lock);
        } else if (lane->stopped) {
            break;
        } else {
            pthread_cond_wait(&lane->added, &lane->lock);
        }
    }
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

int lane_start(struct lane **out, int threads, struct error *error)
{
    struct lane *lane = calloc(1, sizeof *lane + (size_t)threads * sizeof *lane->threads);
    if (!lane)
        return error_set(error, ERROR_MEMORY, "no memory for the lane of long requests");
    lane->end = &lane->first;
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->added, NULL);
    for (; lane->count < threads; lane->count++) {
        int failed = pthread_create(&lane->threads[lane->count], NULL, lane_main, lane);
        if (failed) {
            lane_stop(lane);
            return error_set_errno(error, failed, "cannot start a thread for long requests");
        }
    }
    *out = lane;
    return 0;
}

void lane_add(struct lane *lane, struct lane_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&lane->lock);
    *lane->end = task;
    lane->end = &task->next;
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
        pthread_join(lane->threads[i], NULL);
    pthread_cond_destroy(&lane->added);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}

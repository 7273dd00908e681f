#include "server/store/keep/keeper.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/store/store.h"
#include "server/store/write.h"

/* Half of the writer's time, at most, is for removing. */
enum { LOOK_MS = 2000, PAUSE_MS = 4, FAILED_MS = 30000, LOG_MS = 600000 };
static const double day_ms = 24 * 3600 * 1000.0;

struct keeper {
    struct store_write write; /* first: a write is cast to its keeper */
    struct store_removal step;
    struct store *store;
    struct keeper_config config;
    pthread_t thread;
    int64_t began_ms, began_ns; /* the wall's clock and the steady one */
    long removed;               /* and not told yet; the thread's, as the next one */
    int64_t logged_ns;          /* 0: never */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t change;
    bool stopping;
    bool stepping; /* the write is the store's */
    bool failed;
};

static void on_step(struct store_write *write, const struct error *failed)
{
    struct keeper *keeper = (struct keeper *)write;
    for (int i = 0; !failed && i < keeper->step.count; i++)
        keeper->config.removed(keeper->config.arg, keeper->step.removed[i]);
    pthread_mutex_lock(&keeper->lock);
    keeper->stepping = false;
    keeper->failed = failed != NULL;
    pthread_cond_signal(&keeper->change);
    pthread_mutex_unlock(&keeper->lock);
}

/* No later than the time that has passed says: a clock that jumps ahead must not make all of it old. */
static int64_t now_ms(const struct keeper *keeper)
{
    int64_t steady_ms = keeper->began_ms + (clock_monotonic_ns() - keeper->began_ns) / 1000000;
    int64_t wall_ms = clock_wall_ms();
    return wall_ms < steady_ms ? wall_ms : steady_ms;
}

/* Not each of many: a policy removes a little all the time. */
static void removed_tell(struct keeper *keeper)
{
    int64_t now_ns = clock_monotonic_ns();
    if (keeper->logged_ns && now_ns - keeper->logged_ns < LOG_MS * 1000000LL)
        return;
    log_info("store: %ld experiments that had ended were removed", keeper->removed);
    keeper->logged_ns = now_ns;
    keeper->removed = 0;
}

/* One step; how long to wait for the next. A store that is not healthy tries by itself, and a step would not write. */
static int keeper_step(struct keeper *keeper)
{
    if (!store_healthy(keeper->store, NULL))
        return LOOK_MS;
    const struct keeper_config *config = &keeper->config;
    keeper->step.what = REMOVE_OLDEST;
    keeper->step.keep_bytes = config->bytes;
    if (config->days > 0)
        keeper->step.ended_before_ms = now_ms(keeper) - (int64_t)(config->days * day_ms);
    keeper->stepping = true;
    store_hand_over(keeper->store, &keeper->write);
    pthread_mutex_lock(&keeper->lock);
    while (keeper->stepping)
        pthread_cond_wait(&keeper->change, &keeper->lock);
    bool failed = keeper->failed;
    pthread_mutex_unlock(&keeper->lock);
    if (failed)
        return FAILED_MS;
    keeper->removed += keeper->step.count;
    if (!keeper->step.more && keeper->removed)
        removed_tell(keeper);
    return keeper->step.more ? PAUSE_MS : LOOK_MS;
}

static void *keeper_thread(void *arg)
{
    struct keeper *keeper = arg;
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stopping) {
        pthread_mutex_unlock(&keeper->lock);
        int64_t until_ns = keeper_step(keeper) * 1000000LL + clock_monotonic_ns();
        struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
        pthread_mutex_lock(&keeper->lock);
        int number = 0;
        while (!keeper->stopping && number == 0)
            number = pthread_cond_timedwait(&keeper->change, &keeper->lock, &until);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

int keeper_start(struct keeper **out, struct store *store, const struct keeper_config *config,
                 struct error *error)
{
    struct keeper *keeper = calloc(1, sizeof *keeper);
    if (!keeper)
        return error_set(error, ERROR_MEMORY, "no memory for the keeper");
    keeper->write.done = on_step;
    keeper->write.removal = &keeper->step;
    keeper->store = store;
    keeper->config = *config;
    keeper->began_ms = clock_wall_ms();
    keeper->began_ns = clock_monotonic_ns();
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->change, &attributes);
    pthread_condattr_destroy(&attributes);
    int number = pthread_create(&keeper->thread, NULL, keeper_thread, keeper);
    if (number) {
        pthread_cond_destroy(&keeper->change);
        pthread_mutex_destroy(&keeper->lock);
        free(keeper);
        return error_set_errno(error, number, "cannot start the keeper");
    }
    *out = keeper;
    return 0;
}

void keeper_stop(struct keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->stopping = true;
    pthread_cond_signal(&keeper->change);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->change);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

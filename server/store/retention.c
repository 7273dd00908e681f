#include "server/store/retention.h"

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

struct retention {
    struct store_write write; /* first: a write is cast to its retention */
    struct store_removal step;
    struct store *store;
    struct retention_config config;
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
    struct retention *retention = (struct retention *)write;
    for (int i = 0; !failed && i < retention->step.count; i++)
        retention->config.removed(retention->config.arg, retention->step.removed[i]);
    pthread_mutex_lock(&retention->lock);
    retention->stepping = false;
    retention->failed = failed != NULL;
    pthread_cond_signal(&retention->change);
    pthread_mutex_unlock(&retention->lock);
}

/* No later than the time that has passed says: a clock that jumps ahead must not make all of it old. */
static int64_t now_ms(const struct retention *retention)
{
    int64_t steady_ms = retention->began_ms + (clock_monotonic_ns() - retention->began_ns) / 1000000;
    int64_t wall_ms = clock_wall_ms();
    return wall_ms < steady_ms ? wall_ms : steady_ms;
}

/* Not each of many: a policy removes a little all the time. */
static void removed_tell(struct retention *retention)
{
    int64_t now_ns = clock_monotonic_ns();
    if (retention->logged_ns && now_ns - retention->logged_ns < LOG_MS * 1000000LL)
        return;
    log_info("store: %ld experiments that had ended were removed", retention->removed);
    retention->logged_ns = now_ns;
    retention->removed = 0;
}

/* One step; how long to wait for the next. A store that is not healthy tries by itself, and a step would not write. */
static int retention_step(struct retention *retention)
{
    if (!store_healthy(retention->store, NULL))
        return LOOK_MS;
    const struct retention_config *config = &retention->config;
    retention->step.what = REMOVE_OLDEST;
    retention->step.keep_bytes = config->bytes;
    if (config->days > 0)
        retention->step.ended_before_ms = now_ms(retention) - (int64_t)(config->days * day_ms);
    retention->stepping = true;
    store_hand_over(retention->store, &retention->write);
    pthread_mutex_lock(&retention->lock);
    while (retention->stepping)
        pthread_cond_wait(&retention->change, &retention->lock);
    bool failed = retention->failed;
    pthread_mutex_unlock(&retention->lock);
    if (failed)
        return FAILED_MS;
    retention->removed += retention->step.count;
    if (!retention->step.more && retention->removed)
        removed_tell(retention);
    return retention->step.more ? PAUSE_MS : LOOK_MS;
}

static void *retention_thread(void *arg)
{
    struct retention *retention = arg;
    pthread_mutex_lock(&retention->lock);
    while (!retention->stopping) {
        pthread_mutex_unlock(&retention->lock);
        int64_t until_ns = retention_step(retention) * 1000000LL + clock_monotonic_ns();
        struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
        pthread_mutex_lock(&retention->lock);
        int number = 0;
        while (!retention->stopping && number == 0)
            number = pthread_cond_timedwait(&retention->change, &retention->lock, &until);
    }
    pthread_mutex_unlock(&retention->lock);
    return NULL;
}

int retention_start(struct retention **out, struct store *store, const struct retention_config *config,
                    struct error *error)
{
    struct retention *retention = calloc(1, sizeof *retention);
    if (!retention)
        return error_set(error, ERROR_MEMORY, "no memory for the keeper");
    retention->write.done = on_step;
    retention->write.removal = &retention->step;
    retention->store = store;
    retention->config = *config;
    retention->began_ms = clock_wall_ms();
    retention->began_ns = clock_monotonic_ns();
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&retention->lock, NULL);
    pthread_cond_init(&retention->change, &attributes);
    pthread_condattr_destroy(&attributes);
    int number = pthread_create(&retention->thread, NULL, retention_thread, retention);
    if (number) {
        pthread_cond_destroy(&retention->change);
        pthread_mutex_destroy(&retention->lock);
        free(retention);
        return error_set_errno(error, number, "cannot start the keeper");
    }
    *out = retention;
    return 0;
}

void retention_stop(struct retention *retention)
{
    if (!retention)
        return;
    pthread_mutex_lock(&retention->lock);
    retention->stopping = true;
    pthread_cond_signal(&retention->change);
    pthread_mutex_unlock(&retention->lock);
    pthread_join(retention->thread, NULL);
    pthread_cond_destroy(&retention->change);
    pthread_mutex_destroy(&retention->lock);
    free(retention);
}

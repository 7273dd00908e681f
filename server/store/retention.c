/* One step at a time: the periodic job begins it, the writer runs it and wakes the job. */
#include "server/store/retention.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/periodic.h"
#include "server/store/store.h"
#include "server/store/write.h"

/* ---- one on request ---- */

struct marking {
    struct store_write write; /* first: a write is cast to its marking */
    struct store_mark mark;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
};

static void on_marked(struct store_write *write, const struct error *failed)
{
    struct marking *marking = (struct marking *)write;
    marking->done(marking->arg, failed);
    free(marking);
}

int store_mark(struct store *store, const struct store_mark *mark,
               void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    struct marking *marking = calloc(1, sizeof *marking);
    if (!marking)
        return error_set(error, ERROR_MEMORY, "no memory to remove");
    *marking = (struct marking){.write = {.done = on_marked}, .mark = *mark, .done = done, .arg = arg};
    marking->write.mark = &marking->mark;
    store_hand_over(store, &marking->write);
    return 0;
}

/* ---- by policy ---- */

/* The pause between two steps leaves at least half of the writer's time to others. */
enum { LOOK_MS = 2000, PAUSE_MS = 4, FAILED_MS = 30000, LOG_MS = 60000 };
static const double day_ms = 24 * 3600 * 1000.0;

struct retention {
    struct store_write write;  /* first: a write is cast to its retention */
    struct store_removal step; /* the writer's while `stepping`, as the next two */
    long removed;              /* experiments, since the last line of the log */
    int64_t logged_ns;         /* 0: never */
    struct store *store;
    struct retention_config config;
    struct periodic_job job;
    int64_t began_ms, began_ns; /* on the wall clock and the monotonic one */

    pthread_mutex_t lock; /* guards `stepping` */
    pthread_cond_t stepped;
    bool stepping; /* the write is the store's */
};

/* One line for many removals: a policy removes a little all the time. */
static void removed_log(struct retention *retention)
{
    int64_t now_ns = clock_monotonic_ns();
    if (!retention->removed || (retention->logged_ns && now_ns - retention->logged_ns < LOG_MS * 1000000LL))
        return;
    log_info("store: %ld experiments that had ended were removed", retention->removed);
    retention->logged_ns = now_ns;
    retention->removed = 0;
}

/* Called by the writer's thread. */
static void on_policy_step(struct store_write *write, const struct error *failed)
{
    struct retention *retention = (struct retention *)write;
    const struct store_removal *step = &retention->step;
    for (int i = 0; !failed && i < step->count; i++)
        retention->config.removed(retention->config.arg, step->removed[i]);
    retention->removed += failed ? 0 : step->count;
    if (!failed && !step->more)
        removed_log(retention);
    int pause_ms = failed ? FAILED_MS : step->more ? PAUSE_MS : LOOK_MS;
    pthread_mutex_lock(&retention->lock);
    retention->stepping = false;
    periodic_wake(&retention->job, clock_monotonic_ns() + pause_ms * 1000000LL);
    pthread_cond_signal(&retention->stepped);
    pthread_mutex_unlock(&retention->lock);
}

/* The wall clock, but no later than the monotonic clock allows: a wall clock that jumps ahead must not make
   everything old. Not for what was removed, whose time ends at a moment of the wall clock that was said. */
static int64_t steady_now_ms(const struct retention *retention)
{
    int64_t steady_ms = retention->began_ms + (clock_monotonic_ns() - retention->began_ns) / 1000000;
    int64_t wall_ms = clock_wall_ms();
    return wall_ms < steady_ms ? wall_ms : steady_ms;
}

/* Begins a step, whose end wakes the job. A store that is not healthy recovers by itself, and a step would
   fail. */
static int64_t retention_run(void *arg, int64_t now_ns)
{
    struct retention *retention = arg;
    if (!store_healthy(retention->store, NULL))
        return now_ns + LOOK_MS * 1000000LL;
    retention->step.now_ms = clock_wall_ms();
    if (retention->config.days > 0)
        retention->step.ended_before_ms =
            steady_now_ms(retention) - (int64_t)(retention->config.days * day_ms);
    pthread_mutex_lock(&retention->lock);
    retention->stepping = true;
    pthread_mutex_unlock(&retention->lock);
    store_hand_over(retention->store, &retention->write);
    return INT64_MAX;
}

int retention_start(struct retention **out, struct store *store, const struct retention_config *config,
                    struct error *error)
{
    struct retention *retention = calloc(1, sizeof *retention);
    if (!retention)
        return error_set(error, ERROR_MEMORY, "no memory for the retention of experiments");
    *retention = (struct retention){
        .write = {.done = on_policy_step, .removal = &retention->step},
        .step = {.keep_bytes = config->bytes},
        .store = store,
        .config = *config,
        .job = {.run = retention_run, .arg = retention},
        .began_ms = clock_wall_ms(),
        .began_ns = clock_monotonic_ns(),
    };
    pthread_mutex_init(&retention->lock, NULL);
    pthread_cond_init(&retention->stepped, NULL);
    *out = retention;
    return periodic_add(&retention->job, error);
}

void retention_stop(struct retention *retention)
{
    if (!retention)
        return;
    periodic_remove(&retention->job);
    pthread_mutex_lock(&retention->lock);
    while (retention->stepping)
        pthread_cond_wait(&retention->stepped, &retention->lock);
    pthread_mutex_unlock(&retention->lock);
    retention->logged_ns = 0; /* what was not told yet is told now */
    removed_log(retention);
    pthread_cond_destroy(&retention->stepped);
    pthread_mutex_destroy(&retention->lock);
    free(retention);
}

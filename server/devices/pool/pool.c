#include "server/devices/pool/pool.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/devices/executor/lease.h"
#include "server/devices/pool/identity.h"

static const int64_t look_ns = 2000000000, settle_ns = 100000000;
/* How often numbers are looked for that devices of the list lack; and at most this part of the time is spent on it. */
static const int64_t numbers_ns = 10000000000, numbers_part = 100;

/* A number's place: the worker that is there, and the one that should be. */
struct seat {
    struct worker *worker; /* NULL: none */
    bool leaving;
    char *how;                         /* as its roster_entry */
    const struct roster_entry *wanted; /* of the pool's roster; NULL: it is not in the list */
};

struct pool {
    struct roster_config config;
    struct worker_told told; /* whom each worker asks and tells */
    struct queue *queue;
    struct devices *devices;
    struct identity *identity;

    /* Of the thread alone, once it is there. */
    struct roster_local local;
    struct roster *roster;
    struct seat seats[DEVICES_MAX];
    struct device_set working; /* as the queue was told */
    struct stat seen;
    bool left_out; /* devices of the list have no number */
    bool renumber_now;
    int64_t retry_numbering_at_ns; /* when left_out, and not renumber_now */
    struct error missed;           /* the last that was said of the list, so that it is said once */

    bool started;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    bool asked, ended;
    struct error wrong;
};

int pool_new(struct pool **out, const struct roster_config *config, struct error *error)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_condattr_t monotonic;
    bool there;
    if (!pool)
        return error_set(error, ERROR_MEMORY, "no memory for the devices");
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pool->config = *config;
    if (config->file[0])
        file_changed(config->file, &pool->seen, &there);
    if (roster_read(&pool->roster, config, &pool->local, error) < 0) {
        pool_free(pool);
        return -1;
    }
    *out = pool;
    return 0;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    identity_free(pool->identity);
    roster_free(pool->roster);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* ---- the list ---- */

static void wrong_set(struct pool *pool, const struct error *why, const char *prefix)
{
    if (why->kind != ERROR_NONE && strcmp(pool->missed.text, why->text) != 0)
        log_error("%s%s", prefix, why->text);
    pool->missed = *why;
    pthread_mutex_lock(&pool->lock);
    pool->wrong = *why;
    pthread_mutex_unlock(&pool->lock);
}

/* After numbers were looked for, which took so long. */
static void retry_numbering_later(struct pool *pool, int64_t took_ns)
{
    int64_t pause_ns = took_ns * numbers_part > numbers_ns ? took_ns * numbers_part : numbers_ns;
    pool->renumber_now = false;
    pool->retry_numbering_at_ns = clock_monotonic_ns() + pause_ns;
}

/* Takes the roster over when it returns 0: its devices have numbers, which are on disk, and `devices` knows them; those for
   which no number is left are left out, and that is told. */
static int roster_take(struct pool *pool, struct roster *roster, struct error *error)
{
    struct numbering numbering;
    struct device_set present = {{0}}, busy = {{0}};
    int first = -1;
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->seats[i].worker)
            device_set_add(&busy, i);
    if (identity_number(pool->identity, roster, &busy, &numbering, error) < 0)
        return -1;
    for (int i = 0; i < DEVICES_MAX; i++)
        pool->seats[i].wanted = NULL;
    for (int i = 0; i < roster->count; i++) {
        int number = numbering.numbers[i];
        if (number < 0)
            continue;
        if (pool->queue && device_set_has(&numbering.reassigned, number))
            queue_reset_device(pool->queue, number);
        devices_list(pool->devices, number, &roster->entries[i].listing);
        device_set_add(&present, number);
        pool->seats[number].wanted = &roster->entries[i];
        first = first < 0 ? number : first;
    }
    devices_set_present(pool->devices, &present, first);
    pool->left_out = numbering.no_number_error.kind != ERROR_NONE;
    wrong_set(pool, &numbering.no_number_error, "");
    return 0;
}

int pool_open(struct pool *pool, struct store *store, struct devices *devices, struct error *error)
{
    identity_free(pool->identity);
    pool->identity = NULL;
    pool->devices = devices;
    if (identity_new(&pool->identity, store, devices, error) < 0)
        return -1;
    int64_t begun_ns = clock_monotonic_ns();
    int status = roster_take(pool, pool->roster, error);
    retry_numbering_later(pool, clock_monotonic_ns() - begun_ns);
    return status;
}

double pool_outliving(const struct pool *pool, struct device_set *devices)
{
    double most_s = 0;
    for (int i = 0; i < DEVICES_MAX; i++) {
        const struct roster_entry *entry = pool->seats[i].wanted;
        if (!entry || entry->heartbeat_s == 0 || !identity_leased(pool->identity, i))
            continue;
        device_set_add(devices, i);
        most_s = fmax(most_s, lease_outlives_s(entry->lost_s));
    }
    return most_s;
}

/* `changed`: the file did, or somebody asks; else numbers are looked for that devices of the list lack. */
static void list_read(struct pool *pool, bool changed)
{
    struct roster *roster, *old = pool->roster;
    struct error why = {0};
    int64_t begun_ns = clock_monotonic_ns();
    int status = roster_read(&roster, &pool->config, &pool->local, &why);
    if (status == 0 && (status = roster_take(pool, roster, &why)) < 0) {
        roster_free(roster);
        pool->seen = (struct stat){0}; /* the disk may take the names the next time */
    }
    retry_numbering_later(pool, clock_monotonic_ns() - begun_ns);
    if (status < 0) {
        wrong_set(pool, &why, "the devices stay as they were: ");
        return;
    }
    pool->roster = roster;
    roster_free(old);
    if (changed)
        log_info("the list of devices was read: %d device%s", roster->count, roster->count == 1 ? "" : "s");
}

/* ---- workers ---- */

static void seat_start(struct pool *pool, int number)
{
    struct seat *seat = &pool->seats[number];
    struct worker_config config = roster_worker(seat->wanted, &pool->config);
    struct error why = {0};
    identity_trust(pool->identity, number);
    config.told = pool->told;
    config.told.said_hello = identity_hello;
    config.told.said_hello_arg = pool->identity;
    if (!(seat->how = strdup(seat->wanted->how)))
        error_set(&why, ERROR_MEMORY, "no memory for device %d", number);
    else
        worker_start(&seat->worker, number, &config, pool->queue, pool->devices, &why);
    if (seat->worker) {
        identity_touch(pool->identity, number);
        return;
    }
    log_error("%s: %s; tried again", seat->wanted->listing.name, why.text);
    free(seat->how);
    seat->how = NULL;
}

static void seat_end(struct pool *pool, int number)
{
    struct seat *seat = &pool->seats[number];
    identity_touch(pool->identity, number);
    worker_stop(seat->worker);
    free(seat->how);
    *seat = (struct seat){.wanted = seat->wanted};
}

/* Brings what is there nearer to what should be, without waiting for anybody. False: something has still to end. */
static bool seats_settle(struct pool *pool)
{
    struct device_set working = {{0}};
    bool settled = true;
    for (int i = 0; i < DEVICES_MAX; i++) {
        struct seat *seat = &pool->seats[i];
        if (seat->leaving && worker_left(seat->worker)) {
            log_info("device %d: its worker has ended", i);
            seat_end(pool, i);
            pool->renumber_now = true; /* this number may be free now */
        }
        if (!seat->worker && seat->wanted)
            seat_start(pool, i);
        bool stays =
            seat->worker && !seat->leaving && seat->wanted && strcmp(seat->how, seat->wanted->how) == 0;
        if (stays)
            device_set_add(&working, i);
        settled = settled && (stays || !seat->worker);
    }
    if (!device_set_equal(&working, &pool->working))
        queue_present(pool->queue, &working);
    pool->working = working;
    /* Only now: from here on the queue gives them nothing more. */
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->seats[i].worker && !pool->seats[i].leaving && !device_set_has(&working, i)) {
            pool->seats[i].leaving = true;
            worker_leave(pool->seats[i].worker);
        }
    return settled;
}

/* ---- the thread ---- */

static bool file_is_new(struct pool *pool)
{
    bool there;
    return pool->config.file[0] && file_changed(pool->config.file, &pool->seen, &there);
}

/* Sleeps for so long, or until somebody asks. */
static bool pool_wait(struct pool *pool, int64_t for_ns, bool *asked)
{
    int64_t until = clock_monotonic_ns() + for_ns;
    struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    pthread_mutex_lock(&pool->lock);
    while (!pool->asked && !pool->ended &&
           pthread_cond_timedwait(&pool->wake, &pool->lock, &limit) != ETIMEDOUT)
        ;
    bool goes_on = !pool->ended;
    *asked = pool->asked;
    pool->asked = false;
    pthread_mutex_unlock(&pool->lock);
    return goes_on;
}

static void *pool_main(void *arg)
{
    struct pool *pool = arg;
    bool asked, settled = true;
    while (pool_wait(pool, settled ? look_ns : settle_ns, &asked)) {
        bool changed = file_is_new(pool) || asked;
        bool retry =
            pool->left_out && (pool->renumber_now || clock_monotonic_ns() >= pool->retry_numbering_at_ns);
        if (changed || retry)
            list_read(pool, changed);
        settled = seats_settle(pool);
    }
    return NULL;
}

int pool_start(struct pool *pool, const struct worker_told *told, struct queue *queue, struct error *error)
{
    pool->told = *told;
    pool->queue = queue;
    pool->working = devices_present(pool->devices);
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->seats[i].wanted)
            seat_start(pool, i);
    int status = pthread_create(&pool->thread, NULL, pool_main, pool);
    if (status)
        return error_set_errno(error, status, "cannot start the thread that looks at the devices");
    pool->started = true;
    return 0;
}

void pool_reload(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->asked = true;
    pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

bool pool_wrong(struct pool *pool, struct error *why)
{
    pthread_mutex_lock(&pool->lock);
    *why = pool->wrong;
    pthread_mutex_unlock(&pool->lock);
    return why->kind != ERROR_NONE;
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    if (pool->started) {
        pthread_mutex_lock(&pool->lock);
        pool->ended = true;
        pthread_cond_signal(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        pthread_join(pool->thread, NULL);
        pool->started = false;
    }
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->seats[i].worker)
            seat_end(pool, i);
}

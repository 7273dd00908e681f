/* The pool's thread, its slots and its list: device_pool.h. */
#include "server/devices/device_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "server/devices/device_identity.h"
#include "server/queue/queue_admin.h"

static const int64_t look_ns = 2000000000, settle_ns = 100000000;
/* How often free numbers are searched for devices without one; at most one part in so many of the time goes
   into it. */
static const int64_t numbers_ns = 10000000000, numbers_part = 100;

/* Of one device number: the worker that is there, and the entry that it should have. */
struct pool_slot {
    struct worker *worker; /* NULL: none */
    bool leaving;
    struct executor_config *config; /* the worker's; NULL: there is none */
    struct executor_config *wanted; /* of the pool's roster; NULL: the device is not listed */
};

struct device_pool {
    struct roster_config config;
    struct worker_callbacks callbacks;
    struct queue *queue;
    struct devices *devices;
    struct device_identity identity;

    /* Used by the pool's thread alone, once it runs. */
    struct roster_local local;
    struct roster *roster;
    struct pool_slot slots[DEVICES_MAX];
    struct device_set working; /* what the queue was given last */
    struct stat seen;
    int64_t renumber_ns; /* when numbers are searched for those without one; INT64_MAX: all have one */

    bool started;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    bool asked, ended;
    struct error wrong; /* written by the pool's thread alone */
};

int device_pool_new(struct device_pool **out, const struct roster_config *config, struct error *error)
{
    struct device_pool *pool = calloc(1, sizeof *pool);
    bool there;
    if (!pool)
        return error_set(error, ERROR_MEMORY, "no memory for the devices");
    pthread_mutex_init(&pool->lock, NULL);
    thread_condition_init(&pool->wake);
    pool->config = *config;
    if (config->file[0])
        file_changed(config->file, &pool->seen, &there);
    if (roster_read(&pool->roster, config, &pool->local, error) < 0) {
        device_pool_free(pool);
        return -1;
    }
    *out = pool;
    return 0;
}

void device_pool_free(struct device_pool *pool)
{
    if (!pool)
        return;
    roster_free(pool->roster);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* ---- the list ---- */

static void wrong_set(struct device_pool *pool, const struct error *why, const char *prefix)
{
    if (why->kind != ERROR_NONE && strcmp(pool->wrong.text, why->text) != 0)
        log_error("%s%s", prefix, why->text);
    pthread_mutex_lock(&pool->lock);
    pool->wrong = *why;
    pthread_mutex_unlock(&pool->lock);
}

/* Takes over the roster when it returns 0: its devices have numbers, which are on disk, and `devices` has
   them; those without a number are left out, with an error in pool->wrong. */
static int roster_take(struct device_pool *pool, struct roster *roster, struct error *error)
{
    struct numbering numbering;
    struct device_set listed = {{0}}, busy = {{0}};
    int first = -1;
    int64_t begun_ns = clock_monotonic_ns();
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->slots[i].worker)
            device_set_add(&busy, i);
    if (device_identity_number(&pool->identity, roster, &busy, &numbering, error) < 0)
        return -1;
    for (int i = 0; i < DEVICES_MAX; i++)
        pool->slots[i].wanted = NULL;
    for (int i = 0; i < roster->count; i++) {
        int number = roster->entries[i]->number;
        if (number < 0)
            continue;
        if (pool->queue && device_set_has(&numbering.reassigned, number))
            queue_admin_reset_device(pool->queue, number);
        devices_set_listing(pool->devices, number, &roster->entries[i]->listing);
        device_set_add(&listed, number);
        pool->slots[number].wanted = roster->entries[i];
        first = first < 0 ? number : first;
    }
    devices_set_listed(pool->devices, &listed, first);
    int64_t now = clock_monotonic_ns(), pause_ns = (now - begun_ns) * numbers_part;
    bool all = numbering.no_number_error.kind == ERROR_NONE;
    pool->renumber_ns = all ? INT64_MAX : now + (pause_ns > numbers_ns ? pause_ns : numbers_ns);
    wrong_set(pool, &numbering.no_number_error, "");
    return 0;
}

int device_pool_open(struct device_pool *pool, struct store *store, struct devices *devices,
                     struct error *error)
{
    pool->devices = devices;
    pool->identity = (struct device_identity){store, devices};
    if (device_identity_publish(&pool->identity, error) < 0)
        return -1;
    return roster_take(pool, pool->roster, error);
}

double device_pool_outliving(const struct device_pool *pool, struct device_set *devices)
{
    double longest_s = 0;
    for (int i = 0; i < DEVICES_MAX; i++) {
        const struct executor_config *entry = pool->slots[i].wanted;
        if (!entry || entry->heartbeat_s == 0)
            continue;
        device_set_add(devices, i);
        longest_s = fmax(longest_s, executor_session_outlives_s(entry->lost_s));
    }
    return longest_s;
}

/* `changed`: the file did, or a reload was asked for; else this is a search for numbers. */
static void list_read(struct device_pool *pool, bool changed)
{
    struct roster *roster = NULL, *old = pool->roster;
    struct error why = {0};
    if (roster_read(&roster, &pool->config, &pool->local, &why) < 0 || roster_take(pool, roster, &why) < 0) {
        if (roster)
            pool->seen = (struct stat){0}; /* the next look at the file tries again */
        if (pool->renumber_ns < INT64_MAX)
            pool->renumber_ns = clock_monotonic_ns() + numbers_ns;
        roster_free(roster);
        wrong_set(pool, &why, "the devices stay as they were: ");
        return;
    }
    pool->roster = roster;
    roster_free(old);
    if (changed)
        log_info("the list of devices was read: %d device%s", roster->count, roster->count == 1 ? "" : "s");
}

/* ---- workers ---- */

static void slot_start(struct device_pool *pool, int number)
{
    struct pool_slot *slot = &pool->slots[number];
    struct error why = {0};
    if (worker_start(&slot->worker, slot->wanted, &pool->callbacks, pool->queue, pool->devices, &why) < 0) {
        log_error("%s: %s; tried again", slot->wanted->listing.name, why.text);
        return;
    }
    slot->config = slot->wanted;
    slot->config->users++;
    device_identity_touch(&pool->identity, number);
}

static void slot_end(struct device_pool *pool, int number)
{
    struct pool_slot *slot = &pool->slots[number];
    device_identity_touch(&pool->identity, number);
    worker_stop(slot->worker);
    roster_entry_drop(slot->config);
    *slot = (struct pool_slot){.wanted = slot->wanted};
}

/* Starts and ends workers towards the list, without a wait. False: a worker has still to end. */
static bool slots_settle(struct device_pool *pool)
{
    struct device_set working = {{0}};
    bool settled = true;
    for (int i = 0; i < DEVICES_MAX; i++) {
        struct pool_slot *slot = &pool->slots[i];
        if (slot->leaving && worker_left(slot->worker)) {
            log_info("device %d: its worker has ended", i);
            slot_end(pool, i);
            if (pool->renumber_ns < INT64_MAX)
                pool->renumber_ns = 0; /* this number may be free now */
        }
        if (!slot->worker && slot->wanted)
            slot_start(pool, i);
        bool stays = slot->worker && !slot->leaving && slot->wanted &&
                     strcmp(slot->config->config_key, slot->wanted->config_key) == 0;
        if (stays)
            device_set_add(&working, i);
        settled = settled && (stays || !slot->worker);
    }
    if (!device_set_equal(&working, &pool->working))
        queue_admin_list_devices(pool->queue, &working);
    pool->working = working;
    /* After the queue knows: it gives them nothing more. */
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->slots[i].worker && !pool->slots[i].leaving && !device_set_has(&working, i)) {
            pool->slots[i].leaving = true;
            worker_leave(pool->slots[i].worker);
        }
    return settled;
}

/* ---- the thread ---- */

/* Sleeps for so long, or until a reload is asked for. False: the pool ends. */
static bool pool_wait(struct device_pool *pool, int64_t for_ns, bool *asked)
{
    int64_t until_ns = clock_monotonic_ns() + for_ns;
    pthread_mutex_lock(&pool->lock);
    while (!pool->asked && !pool->ended && thread_wait_until(&pool->wake, &pool->lock, until_ns) == 0)
        ;
    bool goes_on = !pool->ended;
    *asked = pool->asked;
    pool->asked = false;
    pthread_mutex_unlock(&pool->lock);
    return goes_on;
}

static void *pool_main(void *arg)
{
    struct device_pool *pool = arg;
    const char *file = pool->config.file;
    bool asked, there, settled = true;
    while (pool_wait(pool, settled ? look_ns : settle_ns, &asked)) {
        bool changed = (file[0] && file_changed(file, &pool->seen, &there)) || asked;
        if (changed || clock_monotonic_ns() >= pool->renumber_ns)
            list_read(pool, changed);
        settled = slots_settle(pool);
    }
    return NULL;
}

int device_pool_start(struct device_pool *pool, const struct worker_callbacks *callbacks, struct queue *queue,
                      struct error *error)
{
    pool->callbacks = *callbacks;
    pool->callbacks.identity = &pool->identity;
    pool->queue = queue;
    pool->working = devices_listed(pool->devices);
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->slots[i].wanted)
            slot_start(pool, i);
    pool->started = thread_start(&pool->thread, "device-pool", pool_main, pool, error) == 0;
    return pool->started ? 0 : -1;
}

void device_pool_reload(struct device_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->asked = true;
    pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

bool device_pool_wrong(struct device_pool *pool, struct error *why)
{
    pthread_mutex_lock(&pool->lock);
    *why = pool->wrong;
    pthread_mutex_unlock(&pool->lock);
    return why->kind != ERROR_NONE;
}

void device_pool_stop(struct device_pool *pool)
{
    if (!pool)
        return;
    if (pool->started)
        thread_stop(pool->thread, &pool->lock, &pool->wake, &pool->ended);
    pool->started = false;
    for (int i = 0; i < DEVICES_MAX; i++)
        if (pool->slots[i].worker)
            slot_end(pool, i);
}

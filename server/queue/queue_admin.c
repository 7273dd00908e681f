#include "server/queue/queue_admin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "server/queue/listed_devices.h"
#include "server/queue/recovery.h"
#include "server/queue/schedule.h"
#include "server/store/store.h"
#include "server/store/write.h"

enum { CHAINS_MIN = 64, CHAINS_MAX = 1 << 16, HALF_LIFE_S = 3600 };

/* Changes of state that may wait for the disk: for each device, and at least in all. */
enum { UNCOMMITTED_PER_DEVICE = 16, UNCOMMITTED_MIN = 256 };

/* ---- opening and closing ---- */

/* NULL: no memory. */
static struct queue *queue_new(struct store *store, const struct queue_config *config)
{
    size_t chains = CHAINS_MIN;
    while (chains < (size_t)config->limit && chains < CHAINS_MAX)
        chains *= 2;
    struct queue *queue = calloc(1, sizeof *queue + (size_t)config->devices * sizeof *queue->devices);
    if (!queue || !(queue->index = calloc(chains, sizeof *queue->index))) {
        free(queue);
        return NULL;
    }
    queue->index_mask = chains - 1;
    queue->store = store;
    queue->config = *config;
    if (!(queue->config.half_life_s > 0))
        queue->config.half_life_s = HALF_LIFE_S;
    queue->uncommitted_max = config->devices * UNCOMMITTED_PER_DEVICE;
    if (queue->uncommitted_max < UNCOMMITTED_MIN)
        queue->uncommitted_max = UNCOMMITTED_MIN;
    pthread_mutex_init(&queue->lock, NULL);
    return queue;
}

static int devices_init(struct queue *queue, struct error *error)
{
    const struct device_set *listed = queue->config.listed;
    pthread_condattr_t attributes;
    int status = 0;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    for (int i = 0; i < queue->config.devices; i++) {
        struct device_queue *device = &queue->devices[i];
        device->group.devices = device_set_of(i);
        device->readiness = QUEUE_COLD;
        if (!listed || device_set_has(listed, i))
            device_set_add(&queue->listed, i);
        schedule_update_idle(queue, i);
        pthread_cond_init(&device->wake, &attributes);
        device->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (device->wake_fd < 0)
            status = error_set_errno(error, errno, "cannot make an eventfd");
    }
    pthread_condattr_destroy(&attributes);
    return status;
}

int queue_admin_open(struct queue **out, struct store *store, const struct queue_config *config,
                     struct error *error)
{
    *out = NULL;
    struct queue *queue = queue_new(store, config);
    if (!queue)
        return error_set(error, ERROR_MEMORY, "no memory for the queue");
    if (devices_init(queue, error) < 0 || recovery_load(queue, error) < 0) {
        queue_admin_close(queue);
        return -1;
    }
    queue->config.listed = queue->config.outliving = NULL; /* the caller's */
    *out = queue;
    return 0;
}

void queue_admin_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    for (int i = 0; i < queue->config.devices; i++) {
        pthread_cond_broadcast(&queue->devices[i].wake);
        eventfd_write(queue->devices[i].wake_fd, 1);
    }
    pthread_mutex_unlock(&queue->lock);
}

void queue_admin_close(struct queue *queue)
{
    struct entry *entry;
    struct entry_sweep *sweep;
    if (!queue)
        return;
    store_flush(queue->store);
    for (uint64_t i = 0; i <= queue->index_mask; i++)
        while ((entry = LIST_FIRST(&queue->index[i]))) {
            LIST_REMOVE(entry, of_chain);
            owner_queue_leave(entry->owner_queue);
            free(entry);
        }
    while ((sweep = LIST_FIRST(&queue->sweeps))) {
        LIST_REMOVE(sweep, next);
        free(sweep);
    }
    for (int i = 0; i < queue->config.devices; i++) {
        if (queue->devices[i].wake_fd >= 0)
            close(queue->devices[i].wake_fd);
        pthread_cond_destroy(&queue->devices[i].wake);
    }
    pthread_mutex_destroy(&queue->lock);
    owner_free_all(&queue->owners);
    free(queue->index);
    free(queue);
}

/* ---- holds: on disk before they are answered, so that they survive a restart ---- */

struct hold_write {
    struct store_write write;
    struct store_hold store_hold;
    struct queue *queue;
    struct queue_hold hold;
    bool *changed;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
};

static void hold_done(struct store_write *write, const struct error *failed)
{
    struct hold_write *holding = (struct hold_write *)write;
    struct queue *queue = holding->queue;
    int device = holding->store_hold.device;
    pthread_mutex_lock(&queue->lock);
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    bool changed = !failed && hold->held != holding->hold.held;
    if (changed)
        *hold = holding->hold;
    if (device >= 0)
        schedule_update_idle(queue, device);
    for (int i = 0; i < queue->config.devices; i++)
        pthread_cond_signal(&queue->devices[i].wake);
    pthread_mutex_unlock(&queue->lock);
    if (holding->changed)
        *holding->changed = changed;
    holding->done(holding->arg, failed);
    free(holding);
}

int queue_admin_hold(struct queue *queue, int device, bool held, const char *owner, bool *changed,
                     void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return error_set(error, ERROR_INVALID, "there is no device %d", device);
    struct hold_write *holding = calloc(1, sizeof *holding);
    if (!holding)
        return error_set(error, ERROR_MEMORY, "no memory to hold a device");
    struct queue_hold *hold = &holding->hold;
    if (held)
        *hold = (struct queue_hold){.held = true, .since_ms = clock_wall_ms()};
    snprintf(hold->owner, sizeof hold->owner, "%s", held ? owner : "");
    holding->store_hold = (struct store_hold){device, held, hold->owner, hold->since_ms};
    holding->write.hold = &holding->store_hold;
    holding->write.done = hold_done;
    holding->queue = queue;
    holding->changed = changed;
    holding->done = done;
    holding->arg = arg;
    store_hand_over(queue->store, &holding->write);
    return 0;
}

/* ---- devices that come and leave ---- */

void queue_admin_list_devices(struct queue *queue, const struct device_set *listed)
{
    pthread_mutex_lock(&queue->lock);
    if (listed_devices_set(queue, listed) && queue->config.select)
        listed_devices_select(queue, SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

void queue_admin_reset_device(struct queue *queue, int device)
{
    struct owner *owner;
    pthread_mutex_lock(&queue->lock);
    queue->devices[device].run_mean = (struct run_mean){0};
    LIST_FOREACH (owner, &queue->owners.all, next)
        if (owner_at_device(owner, device))
            owner_at_device(owner, device)->run_mean = (struct run_mean){0};
    pthread_mutex_unlock(&queue->lock);
}

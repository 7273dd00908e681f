/* Holds: a device, or all of them, that takes nothing new until somebody resumes it. On disk first, so that what is
   answered outlives the service. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/queue/entry.h"
#include "server/queue/place.h"
#include "server/store/store.h"
#include "server/store/write.h"

struct holding {
    struct store_write write;
    struct store_hold hold;
    struct queue *queue;
    struct queue_hold wanted;
    bool *changed;
    void (*done)(void *arg, const struct error *failed);
    void *arg;
};

static void holding_done(struct store_write *write, const struct error *failed)
{
    struct holding *holding = (struct holding *)write;
    struct queue *queue = holding->queue;
    int device = holding->hold.device;
    pthread_mutex_lock(&queue->lock);
    struct queue_hold *hold = device < 0 ? &queue->hold : &queue->devices[device].hold;
    bool changed = !failed && hold->held != holding->wanted.held;
    if (changed)
        *hold = holding->wanted;
    if (device >= 0)
        queue_note(queue, device);
    for (int i = 0; i < queue->config.devices; i++)
        pthread_cond_signal(&queue->devices[i].ready);
    pthread_mutex_unlock(&queue->lock);
    if (holding->changed)
        *holding->changed = changed;
    holding->done(holding->arg, failed);
    free(holding);
}

int queue_hold(struct queue *queue, int device, bool held, const char *owner, bool *changed,
               void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    if (device < QUEUE_ALL_DEVICES || device >= queue->config.devices)
        return error_set(error, ERROR_INVALID, "there is no device %d", device);
    struct holding *holding = calloc(1, sizeof *holding);
    if (!holding)
        return error_set(error, ERROR_MEMORY, "no memory to hold a device");
    if (held)
        holding->wanted = (struct queue_hold){.held = true, .since_ms = clock_wall_ms()};
    snprintf(holding->wanted.owner, sizeof holding->wanted.owner, "%s", held ? owner : "");
    holding->hold = (struct store_hold){device, held, holding->wanted.owner, holding->wanted.since_ms};
    holding->write.hold = &holding->hold;
    holding->write.done = holding_done;
    holding->queue = queue;
    holding->changed = changed;
    holding->done = done;
    holding->arg = arg;
    store_hand_over(queue->store, &holding->write);
    return 0;
}

bool queue_held(struct queue *queue, int device)
{
    pthread_mutex_lock(&queue->lock);
    bool held = place_held(queue, device);
    pthread_mutex_unlock(&queue->lock);
    return held;
}

void queue_hold_all(struct queue *queue, struct queue_hold *hold)
{
    pthread_mutex_lock(&queue->lock);
    *hold = queue->hold;
    pthread_mutex_unlock(&queue->lock);
}

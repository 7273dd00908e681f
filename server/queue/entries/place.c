#include "server/queue/entries/place.h"

#include <string.h>

#include "base/clock.h"

double place_mean_s(const struct device_queue *device)
{
    int count = device->durations < DURATIONS ? (int)device->durations : DURATIONS;
    double sum_s = 0;
    for (int i = 0; i < count; i++)
        sum_s += device->durations_s[i];
    return count ? sum_s / count : -1;
}

int place_of(struct queue *queue, const struct entry *entry, double *ahead_s)
{
    *ahead_s = 0;
    if (entry->phase == RUNNING)
        return 0;
    if (entry->phase != WAITING)
        return -1;
    struct device_queue *device = &queue->devices[entry->task.device];
    int before = order_place(device->waiting, &entry->order);
    double mean_s = place_mean_s(device), rest_s = 0;
    if (device->running)
        rest_s = mean_s - (double)(clock_monotonic_ns() - device->running->started_ns) / 1e9;
    int position = before + (device->running ? 1 : 0);
    if (position > 0)
        *ahead_s = mean_s < 0 ? -1 : before * mean_s + (rest_s > 0 ? rest_s : 0);
    return position;
}

int queue_position(struct queue *queue, const char *id, double *ahead_s)
{
    *ahead_s = 0;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    int position = entry ? place_of(queue, entry, ahead_s) : -1;
    pthread_mutex_unlock(&queue->lock);
    return position;
}

/* Since the submission of the oldest that waits; 0: none does. Those that do not wait and are older are few: the one that
   runs, and ends that are not on disk yet. */
static double oldest_s(const struct device_queue *device)
{
    const struct entry *entry = device->oldest;
    while (entry && entry->phase != WAITING)
        entry = entry->newer;
    double age_s = entry ? (double)(clock_wall_ms() - id_ms(entry->task.id)) / 1e3 : 0;
    return age_s > 0 ? age_s : 0;
}

void queue_depth(struct queue *queue, int index, struct queue_depth *depth)
{
    *depth = (struct queue_depth){.mean_s = -1};
    if (index < 0 || index >= queue->config.devices)
        return;
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    depth->queued = order_size(device->waiting);
    depth->mean_s = place_mean_s(device);
    depth->oldest_s = oldest_s(device);
    int64_t busy_ns = device->busy_ns;
    if (device->running)
        busy_ns += clock_monotonic_ns() - device->running->started_ns;
    depth->busy_s = (double)busy_ns / 1e9;
    if (device->running)
        memcpy(depth->running, device->running->task.id, ID_BYTES);
    pthread_mutex_unlock(&queue->lock);
}

double queue_room_s(struct queue *queue, int count)
{
    double per_s = 0;
    pthread_mutex_lock(&queue->lock);
    int excess = queue->queued + count - queue->config.limit;
    for (int i = 0; i < queue->config.devices; i++) {
        double mean_s = place_mean_s(&queue->devices[i]);
        if (mean_s > 0 && order_size(queue->devices[i].waiting))
            per_s += 1 / mean_s;
    }
    pthread_mutex_unlock(&queue->lock);
    if (excess <= 0)
        return 0;
    return per_s > 0 && count <= queue->config.limit ? excess / per_s : -1;
}

double queue_sweep_eta(struct queue *queue, const char *id)
{
    double eta_s = -1;
    pthread_mutex_lock(&queue->lock);
    struct group *group = group_find(queue, id);
    for (int i = 0; group && i < queue->config.devices; i++) {
        const struct entry *last = NULL;
        for (const struct entry *entry = group->entries; entry; entry = entry->group_next)
            if (entry->task.device == i && entry->phase != ENDING &&
                (!last || last->phase == RUNNING ||
                 (entry->phase == WAITING && order_before(&last->order, &entry->order))))
                last = entry;
        double ahead_s, mean_s = place_mean_s(&queue->devices[i]);
        if (!last)
            continue;
        place_of(queue, last, &ahead_s);
        if (mean_s < 0 || ahead_s < 0) {
            eta_s = -1;
            break;
        }
        eta_s = ahead_s + mean_s > eta_s ? ahead_s + mean_s : eta_s;
    }
    pthread_mutex_unlock(&queue->lock);
    return eta_s;
}

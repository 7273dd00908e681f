#include "server/devices/devices.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct devices {
    int count;
    pthread_mutex_t lock; /* guards what follows */
    struct device_status status[];
};

struct devices *devices_new(int count)
{
    struct devices *devices = calloc(1, sizeof *devices + (size_t)count * sizeof devices->status[0]);
    if (!devices)
        return NULL;
    devices->count = count;
    pthread_mutex_init(&devices->lock, NULL);
    for (int i = 0; i < count; i++)
        snprintf(devices->status[i].reason, sizeof devices->status[i].reason,
                 "its executor has not said hello yet");
    return devices;
}

void devices_free(struct devices *devices)
{
    if (!devices)
        return;
    pthread_mutex_destroy(&devices->lock);
    free(devices);
}

int devices_count(const struct devices *devices)
{
    return devices->count;
}

bool devices_get(struct devices *devices, int index, struct device_status *status)
{
    if (index < 0 || index >= devices->count)
        return false;
    pthread_mutex_lock(&devices->lock);
    *status = devices->status[index];
    pthread_mutex_unlock(&devices->lock);
    return true;
}

void devices_set(struct devices *devices, int index, const struct device_status *status)
{
    if (index < 0 || index >= devices->count)
        return;
    pthread_mutex_lock(&devices->lock);
    int64_t counting = devices->status[index].own.pid[1];
    devices->status[index] = *status;
    devices->status[index].own.pid[1] = counting;
    pthread_mutex_unlock(&devices->lock);
}

void devices_set_counting(struct devices *devices, int index, int64_t pid)
{
    if (index < 0 || index >= devices->count)
        return;
    pthread_mutex_lock(&devices->lock);
    devices->status[index].own.pid[1] = pid;
    pthread_mutex_unlock(&devices->lock);
}

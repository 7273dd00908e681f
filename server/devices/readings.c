#include "server/devices/readings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const int64_t fresh_ns = 1000000000, patience_ns = 500000000;
static const time_t end_s = 1;

/* What is asked of a device, and what was read last. */
struct row {
    bool wanted;
    char uuid[64];
    struct live_own own;
    bool read;
    struct live_reading reading;
};

struct readings {
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows and the rows */
    pthread_cond_t asked, answered;
    bool stop;
    int64_t began_ns; /* the reading under way; 0: none */
    int count;
    struct row row[DEVICES_MAX];
};

/* Without the lock: it may take long. Closed again each time: the driver's library would take twice the memory that the
   rest of the server does. */
static void uuid_read(const char *uuid, struct live_own own, struct live_reading *reading)
{
    struct live *live = live_open(uuid);
    live_read(live, LIVE_ALL, own, reading);
    live_close(live);
}

static struct row *row_wanted(struct readings *readings)
{
    for (int i = 0; i < readings->count; i++)
        if (readings->row[i].wanted)
            return &readings->row[i];
    return NULL;
}

static void *work(void *arg)
{
    struct readings *readings = arg;
    pthread_mutex_lock(&readings->lock);
    while (!readings->stop) {
        struct row *row = row_wanted(readings);
        if (!row) {
            pthread_cond_wait(&readings->asked, &readings->lock);
            continue;
        }
        char uuid[sizeof row->uuid];
        struct live_own own = row->own;
        struct live_reading reading;
        memcpy(uuid, row->uuid, sizeof uuid);
        readings->began_ns = clock_monotonic_ns();
        pthread_mutex_unlock(&readings->lock);
        uuid_read(uuid, own, &reading);
        pthread_mutex_lock(&readings->lock);
        readings->began_ns = 0;
        if (strcmp(uuid, row->uuid) == 0) {
            row->reading = reading;
            row->read = true;
            row->wanted = false;
        }
        pthread_cond_broadcast(&readings->answered);
    }
    pthread_mutex_unlock(&readings->lock);
    return NULL;
}

int readings_new(struct readings **out, int devices, struct error *error)
{
    struct readings *readings = calloc(1, sizeof *readings);
    pthread_condattr_t monotonic;
    if (!readings)
        return error_set(error, ERROR_MEMORY, "no memory for the readings of devices");
    readings->count = devices;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&readings->lock, NULL);
    pthread_cond_init(&readings->asked, NULL);
    pthread_cond_init(&readings->answered, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int code = pthread_create(&readings->thread, NULL, work, readings);
    if (code) {
        free(readings);
        return error_set_errno(error, code, "cannot start the thread that reads devices");
    }
    *out = readings;
    return 0;
}

void readings_free(struct readings *readings)
{
    struct timespec until;
    if (!readings)
        return;
    pthread_mutex_lock(&readings->lock);
    readings->stop = true;
    pthread_cond_signal(&readings->asked);
    pthread_mutex_unlock(&readings->lock);
    clock_gettime(CLOCK_MONOTONIC, &until); /* the other one may jump */
    until.tv_sec += end_s;
    if (pthread_clockjoin_np(readings->thread, NULL, CLOCK_MONOTONIC, &until) != 0) {
        pthread_detach(readings->thread);
        return;
    }
    pthread_cond_destroy(&readings->asked);
    pthread_cond_destroy(&readings->answered);
    pthread_mutex_destroy(&readings->lock);
    free(readings);
}

/* With the lock: until the row's reading is there, or patience with the one under way is over. */
static void row_await(struct readings *readings, const struct row *row)
{
    int64_t now = clock_monotonic_ns(), until = now + patience_ns;
    if (readings->began_ns && readings->began_ns + patience_ns < until)
        until = readings->began_ns + patience_ns;
    struct timespec limit = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
    while (row->wanted && pthread_cond_timedwait(&readings->answered, &readings->lock, &limit) == 0)
        ;
}

void readings_get(struct readings *readings, int device, const struct device_status *status,
                  struct live_reading *reading, double *age_s)
{
    struct row *row = &readings->row[device];
    pthread_mutex_lock(&readings->lock);
    row->read = row->read && strcmp(row->uuid, status->facts.uuid) == 0;
    if (!row->read || clock_monotonic_ns() - row->reading.at_ns > fresh_ns) {
        snprintf(row->uuid, sizeof row->uuid, "%s", status->facts.uuid);
        row->own = status->own;
        row->wanted = true;
        pthread_cond_signal(&readings->asked);
        row_await(readings, row);
    }
    if (row->read) {
        *reading = row->reading;
    } else {
        *reading = (struct live_reading){.at_ns = clock_monotonic_ns()};
        snprintf(reading->reason, sizeof reading->reason,
                 "the driver has not answered within half a second; ask again");
    }
    pthread_mutex_unlock(&readings->lock);
    *age_s = (double)(clock_monotonic_ns() - reading->at_ns) / 1e9;
}

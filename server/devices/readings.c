/* The thread that reads devices, and its table: readings.h. */
#include "server/devices/readings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "server/queue/queue_view.h"

/* The age of a reading that is given out; how long a request waits for a new one; how long the end waits for
   the thread. */
static const int64_t fresh_ns = 1000000000, wait_ns = 500000000, end_ns = 1000000000;
/* How often the thread reads by itself, and for how long after the last call of readings_latest(). */
static const int64_t watch_ns = 15000000000, interest_ns = 60000000000;

/* A device: whether a reading is asked for, and the latest values. */
struct reading_row {
    bool wanted;
    char uuid[64];
    struct live_own own;
    struct live_reading reading; /* at_ns 0: none of this device */
    double latest[LIVE_QUANTITIES];
    int64_t latest_ns[LIVE_QUANTITIES]; /* 0: never read */
    int64_t newest_ns;                  /* of them */
};

struct readings {
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows and the rows */
    pthread_cond_t asked, answered;
    bool stop, ended;        /* ended: the thread uses nothing of this any more */
    int64_t began_ns;        /* of the reading that is being made; 0: none */
    struct devices *devices; /* NULL: the thread reads on request alone */
    struct queue *queue;
    int64_t interest_until_ns;
    struct reading_row row[DEVICES_MAX];
};

static void row_want(struct reading_row *row, const struct device_status *status)
{
    snprintf(row->uuid, sizeof row->uuid, "%s", status->facts.uuid);
    row->own = status->own;
    row->wanted = true;
}

static void row_note(struct reading_row *row, const struct live_reading *reading, int64_t at_ns)
{
    for (int i = 0; i < LIVE_QUANTITIES; i++)
        if (reading->of[i].known) {
            row->latest[i] = reading->of[i].value;
            row->latest_ns[i] = row->newest_ns = at_ns;
        }
}

/* True when a listed device runs something, or has work. */
static bool queue_busy(const struct readings *readings, const struct device_set *listed)
{
    struct device_stats stats;
    for (int i = -1; (i = device_set_next(listed, i + 1)) >= 0;) {
        queue_view_device(readings->queue, i, &stats);
        if (stats.queued || stats.running[0])
            return true;
    }
    return false;
}

/* With the lock: sleeps until a request, or until the thread reads by itself. */
static void rest(struct readings *readings)
{
    int64_t now = clock_monotonic_ns();
    bool by_itself = readings->devices && now < readings->interest_until_ns;
    thread_wait_until(&readings->asked, &readings->lock, by_itself ? now + watch_ns : INT64_MAX);
    now = clock_monotonic_ns();
    if (readings->stop || !readings->devices || now >= readings->interest_until_ns)
        return;
    struct device_set listed = devices_listed(readings->devices);
    if (queue_busy(readings, &listed))
        return;
    for (int i = -1; (i = device_set_next(&listed, i + 1)) >= 0;) {
        struct device_status status;
        struct reading_row *row = &readings->row[i];
        bool old = !row->newest_ns || now - row->newest_ns >= watch_ns - fresh_ns;
        if (old && devices_get(readings->devices, i, &status) && status.known)
            row_want(row, &status);
    }
}

static void *readings_main(void *arg)
{
    struct readings *readings = arg;
    pthread_mutex_lock(&readings->lock);
    while (!readings->stop) {
        struct reading_row *row = readings->row, *end = row + DEVICES_MAX;
        while (row < end && !row->wanted)
            row++;
        if (row == end) {
            rest(readings);
            continue;
        }
        char uuid[sizeof row->uuid];
        struct live_own own = row->own;
        struct live_reading reading;
        memcpy(uuid, row->uuid, sizeof uuid);
        readings->began_ns = clock_monotonic_ns();
        pthread_mutex_unlock(&readings->lock);
        /* It may take long. The driver's library is closed each time: it takes twice the memory of the rest of
           the server. */
        struct live *live = live_open(uuid);
        live_read(live, LIVE_ALL, own, &reading);
        live_close(live);
        pthread_mutex_lock(&readings->lock);
        readings->began_ns = 0;
        if (strcmp(uuid, row->uuid) == 0) {
            row->reading = reading;
            row->wanted = false;
            row_note(row, &reading, reading.at_ns);
        }
        pthread_cond_broadcast(&readings->answered);
    }
    readings->ended = true;
    pthread_cond_broadcast(&readings->answered);
    pthread_mutex_unlock(&readings->lock);
    return NULL;
}

int readings_new(struct readings **out, struct error *error)
{
    struct readings *readings = calloc(1, sizeof *readings);
    if (!readings)
        return error_set(error, ERROR_MEMORY, "no memory for the readings of devices");
    pthread_mutex_init(&readings->lock, NULL);
    thread_condition_init(&readings->asked);
    thread_condition_init(&readings->answered);
    if (thread_start(&readings->thread, "readings", readings_main, readings, error) < 0) {
        free(readings);
        return -1;
    }
    *out = readings;
    return 0;
}

void readings_free(struct readings *readings)
{
    if (!readings)
        return;
    int64_t until_ns = clock_monotonic_ns() + end_ns;
    pthread_mutex_lock(&readings->lock);
    readings->stop = true;
    pthread_cond_signal(&readings->asked);
    while (!readings->ended && thread_wait_until(&readings->answered, &readings->lock, until_ns) == 0)
        ;
    bool ended = readings->ended;
    pthread_mutex_unlock(&readings->lock);
    if (!ended) {
        pthread_detach(readings->thread);
        return;
    }
    pthread_join(readings->thread, NULL);
    pthread_cond_destroy(&readings->asked);
    pthread_cond_destroy(&readings->answered);
    pthread_mutex_destroy(&readings->lock);
    free(readings);
}

void readings_get(struct readings *readings, int device, const struct device_status *status,
                  struct live_reading *reading, double *age_s)
{
    struct reading_row *row = &readings->row[device];
    pthread_mutex_lock(&readings->lock);
    if (strcmp(row->uuid, status->facts.uuid) != 0)
        row->reading.at_ns = 0;
    if (clock_monotonic_ns() - row->reading.at_ns > fresh_ns) {
        row_want(row, status);
        pthread_cond_signal(&readings->asked);
        int64_t begun_ns = readings->began_ns ? readings->began_ns : clock_monotonic_ns();
        while (row->wanted &&
               thread_wait_until(&readings->answered, &readings->lock, begun_ns + wait_ns) == 0)
            ;
    }
    if (row->reading.at_ns) {
        *reading = row->reading;
    } else {
        *reading = (struct live_reading){.at_ns = clock_monotonic_ns()};
        snprintf(reading->reason, sizeof reading->reason,
                 "the driver has not answered within half a second; ask again");
    }
    pthread_mutex_unlock(&readings->lock);
    *age_s = (double)(clock_monotonic_ns() - reading->at_ns) / 1e9;
}

void readings_watch(struct readings *readings, struct devices *devices, struct queue *queue)
{
    pthread_mutex_lock(&readings->lock);
    readings->devices = devices;
    readings->queue = queue;
    pthread_mutex_unlock(&readings->lock);
}

void readings_note(struct readings *readings, int device, const struct live_reading *reading)
{
    pthread_mutex_lock(&readings->lock);
    row_note(&readings->row[device], reading, clock_monotonic_ns());
    pthread_mutex_unlock(&readings->lock);
}

void readings_latest(struct readings *readings, int device, struct readings_latest latest[LIVE_QUANTITIES])
{
    const struct reading_row *row = &readings->row[device];
    int64_t now = clock_monotonic_ns();
    pthread_mutex_lock(&readings->lock);
    for (int i = 0; i < LIVE_QUANTITIES; i++)
        latest[i] = (struct readings_latest){.known = row->latest_ns[i] != 0,
                                             .value = row->latest[i],
                                             .age_s = (double)(now - row->latest_ns[i]) / 1e9};
    if (now >= readings->interest_until_ns)
        pthread_cond_signal(&readings->asked); /* because the thread sleeps without a limit */
    readings->interest_until_ns = now + interest_ns;
    pthread_mutex_unlock(&readings->lock);
}

/* The table of devices under one lock, and copies of it: devices.h. */
#include "server/devices/devices.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

const char *devices_health(const struct device_status *status)
{
    if (status->known)
        return status->healthy ? "healthy" : "unhealthy";
    return status->readiness == DEVICE_STARTING || !status->failed ? "starting" : "unhealthy";
}

const char *devices_unusable_reason(const struct device_status *status)
{
    bool started = status->readiness == DEVICE_AWAY || status->readiness == DEVICE_STARTING;
    if (status->known && (status->healthy || started))
        return NULL;
    return status->reason[0] ? status->reason : "its executor has not said hello yet";
}

/* How long readiness waits for the first starts of executors that are not this program. */
static const double first_start_s = 10;

struct device_row {
    struct device_status status;
    struct device_listing listing; /* without a name: the number was never given */
};

struct devices {
    int max;
    int64_t begun_ns;     /* the service's start */
    pthread_mutex_t lock; /* guards what follows */
    int count, first;
    bool settled; /* the first starts have ended; devices that are added later are not waited for */
    struct device_set listed;
    struct device_row rows[];
};

/* A device before its supervisor has written its status. */
static void row_reset(struct device_row *row)
{
    *row = (struct device_row){.status = {.readiness = DEVICE_STARTING}};
    snprintf(row->status.reason, sizeof row->status.reason, "its executor has not said hello yet");
}

struct devices *devices_new(int max)
{
    struct devices *devices = calloc(1, sizeof *devices + (size_t)max * sizeof devices->rows[0]);
    if (!devices)
        return NULL;
    devices->max = max;
    devices->first = -1;
    devices->begun_ns = clock_monotonic_ns();
    pthread_mutex_init(&devices->lock, NULL);
    for (int i = 0; i < max; i++)
        row_reset(&devices->rows[i]);
    return devices;
}

void devices_free(struct devices *devices)
{
    if (!devices)
        return;
    pthread_mutex_destroy(&devices->lock);
    free(devices);
}

/* Takes the lock. NULL, without it: no device can have that number. */
static struct device_row *row_lock(struct devices *devices, int number)
{
    if (number < 0 || number >= devices->max)
        return NULL;
    pthread_mutex_lock(&devices->lock);
    return &devices->rows[number];
}

/* ---- the list ---- */

int devices_count(struct devices *devices)
{
    pthread_mutex_lock(&devices->lock);
    int count = devices->count;
    pthread_mutex_unlock(&devices->lock);
    return count;
}

struct device_set devices_listed(struct devices *devices)
{
    pthread_mutex_lock(&devices->lock);
    struct device_set listed = devices->listed;
    pthread_mutex_unlock(&devices->lock);
    return listed;
}

int devices_named(struct devices *devices, const char *name)
{
    int number = -1;
    pthread_mutex_lock(&devices->lock);
    for (int i = 0; i < devices->count && number < 0 && name[0]; i++)
        if (strcmp(devices->rows[i].listing.name, name) == 0)
            number = i;
    pthread_mutex_unlock(&devices->lock);
    return number;
}

void devices_name(struct devices *devices, int number, char name[DEVICE_NAME_BYTES])
{
    struct device_listing listing;
    bool known = devices_listing(devices, number, &listing);
    memcpy(name, known ? listing.name : "", known ? DEVICE_NAME_BYTES : 1);
}

bool devices_listing(struct devices *devices, int number, struct device_listing *listing)
{
    const struct device_row *row = row_lock(devices, number);
    if (!row)
        return false;
    *listing = row->listing;
    pthread_mutex_unlock(&devices->lock);
    return listing->name[0] != '\0';
}

void devices_set_listing(struct devices *devices, int number, const struct device_listing *listing)
{
    struct device_row *row = row_lock(devices, number);
    if (!row)
        return;
    row->listing = *listing;
    if (devices->count <= number)
        devices->count = number + 1;
    pthread_mutex_unlock(&devices->lock);
}

void devices_forget(struct devices *devices, int number)
{
    struct device_row *row = row_lock(devices, number);
    if (!row)
        return;
    row_reset(row);
    pthread_mutex_unlock(&devices->lock);
}

void devices_set_listed(struct devices *devices, const struct device_set *listed, int first)
{
    pthread_mutex_lock(&devices->lock);
    devices->listed = *listed;
    devices->first = first;
    pthread_mutex_unlock(&devices->lock);
}

/* ---- their status ---- */

bool devices_get(struct devices *devices, int number, struct device_status *status)
{
    const struct device_row *row = row_lock(devices, number);
    if (!row)
        return false;
    *status = row->status;
    pthread_mutex_unlock(&devices->lock);
    return true;
}

bool devices_usable(struct devices *devices)
{
    bool usable = false, starting = false;
    pthread_mutex_lock(&devices->lock);
    bool early = clock_monotonic_ns() - devices->begun_ns < (int64_t)(first_start_s * 1e9);
    for (int i = -1; (i = device_set_next(&devices->listed, i + 1)) >= 0;) {
        const struct device_row *row = &devices->rows[i];
        usable |= !devices_unusable_reason(&row->status);
        starting |= !row->status.known && !row->status.failed && (row->listing.own || early);
    }
    devices->settled |= usable && !starting;
    usable = usable && devices->settled;
    pthread_mutex_unlock(&devices->lock);
    return usable;
}

void devices_set(struct devices *devices, int number, const struct device_status *status)
{
    struct device_row *row = row_lock(devices, number);
    if (!row)
        return;
    int64_t counting = row->status.own.pid[1];
    row->status = *status;
    row->status.own.pid[1] = counting;
    pthread_mutex_unlock(&devices->lock);
}

void devices_set_counting(struct devices *devices, int number, int64_t pid)
{
    struct device_row *row = row_lock(devices, number);
    if (!row)
        return;
    row->status.own.pid[1] = pid;
    pthread_mutex_unlock(&devices->lock);
}

/* ---- snapshots ---- */

struct device_snapshot *device_snapshot_new(struct devices *devices)
{
    struct device_snapshot *snapshot = malloc(sizeof *snapshot);
    if (!snapshot)
        return NULL;
    int count = 0;
    pthread_mutex_lock(&devices->lock);
    for (int i = 0; i < devices->count && i < DEVICES_MAX; i++) {
        const struct device_row *row = &devices->rows[i];
        if (!row->listing.name[0])
            continue;
        memcpy(snapshot->names[count], row->listing.name, sizeof snapshot->names[count]);
        snapshot->facts[count] = row->status.facts;
        snapshot->at[count] = (struct device_offer){
            .number = i,
            .name = snapshot->names[count],
            .facts = row->status.known ? &snapshot->facts[count] : NULL,
            .can_count = row->status.can_count && row->listing.counting,
            .own = row->listing.own,
            .listed = device_set_has(&devices->listed, i),
        };
        count++;
    }
    snapshot->offers = (struct device_offers){snapshot->at, count};
    snapshot->first = devices->first;
    pthread_mutex_unlock(&devices->lock);
    return snapshot;
}

void device_snapshot_select(void *devices, struct queue_selection *selections, int count)
{
    struct device_snapshot *snapshot = device_snapshot_new(devices);
    const struct device_offers none = {0};
    for (int i = 0; i < count; i++)
        device_fit_select(selections[i].request, snapshot ? &snapshot->offers : &none, &selections[i].devices,
                          &selections[i].open);
    free(snapshot);
}

/* The calibrations of stored_calibrations.h, read at the start: an array under a lock. */
#include "server/calibration/stored_calibrations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/calibration_json.h"
#include "server/store/startup_reads.h"
#include "server/store/write.h"

static void row_load(void *arg, const struct store_calibration *row)
{
    struct stored_calibration stored;
    snprintf(stored.uuid, sizeof stored.uuid, "%s", row->uuid);
    snprintf(stored.sweep, sizeof stored.sweep, "%s", row->sweep);
    if (calibration_json_read(&stored.calibration, row->calibration) == 0)
        stored_calibrations_put(arg, &stored);
}

int stored_calibrations_open(struct stored_calibrations *all, struct store *store, struct error *error)
{
    pthread_mutex_init(&all->lock, NULL);
    return store_calibrations(store, row_load, all, error);
}

void stored_calibrations_close(struct stored_calibrations *all)
{
    free(all->at);
    pthread_mutex_destroy(&all->lock);
}

/* NULL: there is none. Called with the lock held. */
static struct stored_calibration *find(const struct stored_calibrations *all, const char *uuid,
                                       const char *name, const char *sweep)
{
    struct stored_calibration *found = NULL;
    for (int i = 0; i < all->count; i++) {
        struct stored_calibration *one = &all->at[i];
        if ((!uuid || strcmp(one->uuid, uuid) == 0) && (!sweep || strcmp(one->sweep, sweep) == 0) &&
            (!name || strcasecmp(one->calibration.name, name) == 0) &&
            (!found || one->calibration.made_ms > found->calibration.made_ms))
            found = one;
    }
    return found;
}

bool stored_calibrations_find(struct stored_calibrations *all, const char *uuid, const char *name,
                              const char *sweep, struct stored_calibration *stored)
{
    pthread_mutex_lock(&all->lock);
    const struct stored_calibration *found = find(all, uuid, name, sweep);
    if (found)
        *stored = *found;
    pthread_mutex_unlock(&all->lock);
    return found;
}

int stored_calibrations_put(struct stored_calibrations *all, const struct stored_calibration *stored)
{
    pthread_mutex_lock(&all->lock);
    struct stored_calibration *place = find(all, stored->uuid, NULL, NULL);
    if (!place) {
        struct stored_calibration *grown = realloc(all->at, ((size_t)all->count + 1) * sizeof *grown);
        if (grown)
            place = &(all->at = grown)[all->count++];
    }
    if (place)
        *place = *stored;
    pthread_mutex_unlock(&all->lock);
    return place ? 0 : -1;
}

bool stored_calibrations_fresh(const struct stored_calibration *stored, const struct device_status *status)
{
    return strcmp(stored->calibration.driver, status->facts.driver) == 0 &&
           strcmp(stored->calibration.build, status->executor_build) == 0;
}

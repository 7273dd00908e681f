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
static struct stored_calibration *device_find(const struct stored_calibrations *all, const char *uuid)
{
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->at[i].uuid, uuid) == 0)
            return &all->at[i];
    return NULL;
}

bool stored_calibrations_of_device(struct stored_calibrations *all, const char *uuid,
                                   struct stored_calibration *stored)
{
    pthread_mutex_lock(&all->lock);
    const struct stored_calibration *found = device_find(all, uuid);
    if (found)
        *stored = *found;
    pthread_mutex_unlock(&all->lock);
    return found;
}

bool stored_calibrations_of_name(struct stored_calibrations *all, const char *name,
                                 struct calibration *calibration)
{
    const struct calibration *found = NULL;
    pthread_mutex_lock(&all->lock);
    for (int i = 0; i < all->count; i++) {
        const struct calibration *one = &all->at[i].calibration;
        if (strcasecmp(one->name, name) == 0 && (!found || one->made_ms > found->made_ms))
            found = one;
    }
    if (found)
        *calibration = *found;
    pthread_mutex_unlock(&all->lock);
    return found;
}

bool stored_calibrations_of_sweep(struct stored_calibrations *all, const char *sweep)
{
    bool found = false;
    pthread_mutex_lock(&all->lock);
    for (int i = 0; !found && i < all->count; i++)
        found = strcmp(all->at[i].sweep, sweep) == 0;
    pthread_mutex_unlock(&all->lock);
    return found;
}

int stored_calibrations_put(struct stored_calibrations *all, const struct stored_calibration *stored)
{
    int status = 0;
    pthread_mutex_lock(&all->lock);
    struct stored_calibration *place = device_find(all, stored->uuid);
    struct stored_calibration *grown =
        place ? all->at : realloc(all->at, ((size_t)all->count + 1) * sizeof *grown);
    if (!grown)
        status = -1;
    else if (!place)
        place = &(all->at = grown)[all->count++];
    if (status == 0)
        *place = *stored;
    pthread_mutex_unlock(&all->lock);
    return status;
}

bool stored_calibrations_fresh(const struct stored_calibration *stored, const struct device_status *status)
{
    return strcmp(stored->calibration.driver, status->facts.driver) == 0 &&
           strcmp(stored->calibration.build, status->executor_build) == 0;
}

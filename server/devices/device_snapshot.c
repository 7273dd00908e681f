/* Copies what is known of the devices, so that choosing among them takes no lock. */
#include "server/devices/device_snapshot.h"

#include <stdlib.h>
#include <string.h>

struct device_snapshot *device_snapshot_new(struct devices *devices)
{
    struct device_snapshot *snapshot = malloc(sizeof *snapshot);
    if (!snapshot)
        return NULL;
    struct device_set listed = devices_listed(devices);
    int count = 0;
    for (int i = 0; i < devices_count(devices) && i < DEVICES_MAX; i++) {
        struct device_status status;
        struct device_listing listing;
        if (!devices_listing(devices, i, &listing) || !devices_get(devices, i, &status))
            continue;
        memcpy(snapshot->names[count], listing.name, sizeof snapshot->names[count]);
        snapshot->facts[count] = status.facts;
        snapshot->at[count] = (struct device_offer){
            .number = i,
            .name = snapshot->names[count],
            .facts = status.known ? &snapshot->facts[count] : NULL,
            .can_count = status.can_count && listing.counting,
            .own = listing.own,
            .listed = device_set_has(&listed, i),
        };
        count++;
    }
    snapshot->offers = (struct device_offers){snapshot->at, count};
    snapshot->first = devices_first(devices);
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

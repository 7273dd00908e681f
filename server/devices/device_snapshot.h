/* The devices of one moment, for what chooses among them: a request that is submitted, and the queue when it
   selects anew. */
#ifndef COALESCED_SERVER_DEVICES_DEVICE_SNAPSHOT_H
#define COALESCED_SERVER_DEVICES_DEVICE_SNAPSHOT_H

#include "api/device_fit.h"
#include "server/devices/devices.h"
#include "server/queue/queue_types.h"

struct device_snapshot {
    struct device_offers offers;
    int first; /* the number of the list's first device; -1: the list is empty */
    /* what the offers are made of */
    struct device_offer at[DEVICES_MAX];
    char names[DEVICES_MAX][DEVICE_NAME_BYTES];
    struct device_facts facts[DEVICES_MAX];
};

/* Any thread. To be freed with free(); NULL: no memory. */
struct device_snapshot *device_snapshot_new(struct devices *devices);

/* Fits queue_config.select; `devices` is the struct devices. All requests see the devices of one moment.
   Takes some 20 us a request; without memory no device fits any of them. */
void device_snapshot_select(void *devices, struct queue_selection *selections, int count);

#endif

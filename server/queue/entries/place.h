/* Where an experiment stands, and how long that will take. With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_PLACE_H
#define COALESCED_SERVER_QUEUE_ENTRIES_PLACE_H

#include "server/queue/entries/entry.h"

/* As queue_position(). */
int place_of(struct queue *queue, const struct entry *entry, double *ahead_s);

/* Of the device's last experiments; negative: nothing ran yet. */
double place_mean_s(const struct device_queue *device);

#endif

/* Who is next, where an experiment stands, and how long that will take. With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_PLACE_H
#define COALESCED_SERVER_QUEUE_PLACE_H

#include "server/queue/entry.h"

/* The one that the device runs next; NULL: none waits. Linear in the sets, and in who has something in those that hold the
   device, with what runs. */
struct entry *place_next(struct queue *queue, int device);

/* Does nothing begin on this device until somebody resumes it, or all of them? */
bool place_held(const struct queue *queue, int device);

double place_pace_s(const struct pace *pace, double fallback_s);

/* Seconds of one of an owner's (NULL: a new one's) experiments on that device (-1: on any); a second when nothing is known. */
double place_mean_s(const struct queue *queue, const struct owner *owner, int device);

/* Of one more of that owner (NULL: a new one) that may run on the device alone, behind `before` others of it. */
struct queue_place place_at_device(struct queue *queue, const struct owner *owner, int device, int before);

/* How many of an owner's wait that may run on the device; overrides apart. */
void place_waiting(const struct queue *queue, const struct owner *owner, int device, int *count,
                   int *overrides);

/* Is what waits wanted at that device? */
enum wanted {
    WANTED_NOT,       /* nothing waits that may run there */
    WANTED_ELSEWHERE, /* there are as many others that are readier for it */
    WANTED_HERE
};
enum wanted place_wanted(const struct queue *queue, int device);

#endif

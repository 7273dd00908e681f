/* Whose turn it is: the owner's who used the devices least lately, and how that will go on. Arithmetic alone, of what
   is known of each owner at one moment; order.h has the order within one owner.

   Usage is seconds of device time that halve with each half-life. All usages halve alike, so who is next does not
   change by waiting, only by running. Private to the queue. */
#ifndef COALESCED_SERVER_QUEUE_DEVICE_SHARE_H
#define COALESCED_SERVER_QUEUE_DEVICE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* One owner as seen from one device. */
struct device_share {
    const char *name; /* borrowed; unique */
    double used_s;    /* of all devices, what runs now included */
    double mean_s;    /* of one of its experiments; above 0 */
    int64_t served;   /* a number that grows with each run that began: the smaller, the longer ago */
    int waiting;      /* for this device, overrides not counted */
};

/* Is a next rather than b? The one that used less; then the one that was served longest ago, then by name. */
bool device_share_before(const struct device_share *a, const struct device_share *b);

/* How many of `other` run before the one of `own` that so many (0: none) of its own are before. Exact when each runs for
   its owner's mean, and nothing is submitted, cancelled or forgotten meanwhile. */
int device_share_count(const struct device_share *own, int place, const struct device_share *other);

/* What is left of usage after so many seconds. */
double device_share_decayed(double used_s, double after_s, double half_life_s);

/* Seconds of one experiment, lately: the mean of the first few, then one that follows. */
struct pace {
    double mean_s;
    int count; /* 0: nothing known */
};
void pace_add(struct pace *pace, double took_s);

#endif

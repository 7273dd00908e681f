/* Fair shares of device time: the owner that used the devices least is next. Arithmetic only, on what is known of each
   owner at one moment; order.h has the order within one owner.

   Usage is seconds of device time, halved with each half-life. All usages decay alike, so the order of owners changes
   when something runs, not with time. */
#ifndef COALESCED_SERVER_QUEUE_DEVICE_SHARE_H
#define COALESCED_SERVER_QUEUE_DEVICE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* One owner as seen from one device. */
struct device_share {
    const char *name; /* borrowed; unique */
    double used_s;    /* of all devices, including what runs now */
    double mean_s;    /* duration of one of its experiments; above 0 */
    int64_t
        served;  /* a number that grows with each start: the smaller, the longer ago the owner's last start */
    int waiting; /* for this device, without overrides */
};

/* Is a before b? The owner that used less; then the one that was served longest ago; then by name. */
bool device_share_before(const struct device_share *a, const struct device_share *b);

/* How many of `other`'s experiments run before the one of `own` that has `position` of its owner's before
   it. Exact when each runs for its owner's mean, and nothing is submitted or cancelled and no usage decays
   meanwhile. */
int device_share_count(const struct device_share *own, int position, const struct device_share *other);

/* What is left of usage after so many seconds. */
double device_share_decayed(double used_s, double after_s, double half_life_s);

/* Duration of recent experiments: the mean of the first 16, then an exponential moving average. */
struct run_mean {
    double mean_s;
    int count; /* 0: nothing known */
};
void device_share_add_run(struct run_mean *mean, double took_s);

#endif

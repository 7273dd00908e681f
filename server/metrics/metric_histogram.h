/* How long something took, in buckets. Any thread may note and write at any time, without a lock. */
#ifndef COALESCED_SERVER_METRICS_METRIC_HISTOGRAM_H
#define COALESCED_SERVER_METRICS_METRIC_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"

enum { HISTOGRAM_BOUNDS = 16 };

/* Upper bounds in seconds, in their order; 0 ends them. */
typedef const double histogram_bounds[HISTOGRAM_BOUNDS + 1];

/* All zero at its start. */
struct histogram {
    atomic_uint_fast64_t counts[HISTOGRAM_BOUNDS + 1]; /* the last: beyond every bound */
    atomic_uint_fast64_t sum_us;
};

/* Less than nothing, of a clock that went back, is nothing. */
void metric_histogram_note(struct histogram *histogram, histogram_bounds bounds, double seconds);

/* Its samples, without HELP and TYPE; `labels` as exposition_sample() takes them. */
void metric_histogram_write(struct buffer *out, const char *name, const char *labels,
                            struct histogram *histogram, histogram_bounds bounds);

#endif

/* Prometheus' text format, version 0.0.4: families, each with HELP and TYPE, their samples, and histograms.
   */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"

enum { EXPOSITION_LABELS = 512, HISTOGRAM_BOUNDS = 16 };

/* Begins a family. `type`: "counter", "gauge" or "histogram". `help` is one line without a backslash. */
void exposition_family(struct buffer *out, const char *name, const char *type, const char *help);

/* Writes a sample. `labels`: the text between the braces, as `device="0"`; "" or NULL: none. */
void exposition_sample(struct buffer *out, const char *name, const char *labels, double value);

/* Writes a family with one sample and no labels. */
void exposition_single(struct buffer *out, const char *name, const char *type, const char *help,
                       double value);

/* Writes `name="value"`, escaped and cut to `size` bytes. */
void exposition_label(char *to, size_t size, const char *name, const char *value);

/* Upper bounds of buckets in seconds, ascending, ended by 0. */
typedef const double histogram_bounds[HISTOGRAM_BOUNDS + 1];

/* Durations in buckets; all zero at the beginning. Any thread may add and write, without a lock. */
struct histogram {
    atomic_uint_fast64_t counts[HISTOGRAM_BOUNDS + 1]; /* the last one: above all bounds */
    atomic_uint_fast64_t sum_us;
};

/* Adds a duration. A negative one, of a clock that was set back, counts as 0. */
void exposition_histogram_add(struct histogram *histogram, histogram_bounds bounds, double seconds);

/* Writes the samples, without HELP and TYPE. `labels` as for exposition_sample(). */
void exposition_histogram_write(struct buffer *out, const char *name, const char *labels,
                                struct histogram *histogram, histogram_bounds bounds);

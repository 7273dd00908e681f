#include "server/metrics/metric_histogram.h"

#include <stdio.h>

#include "server/metrics/exposition.h"

void metric_histogram_note(struct histogram *histogram, histogram_bounds bounds, double seconds)
{
    int bucket = 0;
    if (!(seconds > 0))
        seconds = 0;
    while (bounds[bucket] > 0 && seconds > bounds[bucket])
        bucket++;
    if (!(bounds[bucket] > 0))
        bucket = HISTOGRAM_BOUNDS;
    atomic_fetch_add_explicit(&histogram->counts[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_us, (uint64_t)(seconds * 1e6 + 0.5), memory_order_relaxed);
}

void metric_histogram_write(struct buffer *out, const char *name, const char *labels,
                            struct histogram *histogram, histogram_bounds bounds)
{
    uint64_t total = 0;
    const char *comma = labels[0] ? "," : "", *open = labels[0] ? "{" : "", *close = labels[0] ? "}" : "";
    for (int i = 0; bounds[i] > 0; i++) {
        total += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        buffer_format(out, "%s_bucket{%s%sle=\"%g\"} %llu\n", name, labels, comma, bounds[i],
                      (unsigned long long)total);
    }
    /* The count is the sum of what was just read, so that it is never less than a bucket. */
    total += atomic_load_explicit(&histogram->counts[HISTOGRAM_BOUNDS], memory_order_relaxed);
    buffer_format(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma, (unsigned long long)total);
    buffer_format(out, "%s_sum%s%s%s %.15g\n", name, open, labels, close,
                  (double)atomic_load_explicit(&histogram->sum_us, memory_order_relaxed) / 1e6);
    buffer_format(out, "%s_count%s%s%s %llu\n", name, open, labels, close, (unsigned long long)total);
}

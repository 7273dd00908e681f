/* Writes families, samples and histograms. */
#include "server/metrics/exposition.h"

#include <stdio.h>

void exposition_family(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void exposition_sample(struct buffer *out, const char *name, const char *labels, double value)
{
    bool some = labels && labels[0];
    /* 15 digits: every count below 10^15 is whole, and 0.1 is not 0.10000000000000001. */
    buffer_format(out, "%s%s%s%s %.15g\n", name, some ? "{" : "", some ? labels : "", some ? "}" : "", value);
}

void exposition_single(struct buffer *out, const char *name, const char *type, const char *help, double value)
{
    exposition_family(out, name, type, help);
    exposition_sample(out, name, NULL, value);
}

void exposition_label(char *to, size_t size, const char *name, const char *value)
{
    size_t used = (size_t)snprintf(to, size, "%s=\"", name);
    for (; *value && used + 4 < size; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            to[used++] = '\\';
        to[used++] = *value;
        if (*value == '\n')
            to[used - 1] = 'n';
    }
    snprintf(to + used, size - used, "\"");
}

void exposition_histogram_add(struct histogram *histogram, histogram_bounds bounds, double seconds)
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

void exposition_histogram_write(struct buffer *out, const char *name, const char *labels,
                                struct histogram *histogram, histogram_bounds bounds)
{
    uint64_t total = 0;
    const char *comma = labels[0] ? "," : "", *open = labels[0] ? "{" : "", *close = labels[0] ? "}" : "";
    for (int i = 0; bounds[i] > 0; i++) {
        total += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        buffer_format(out, "%s_bucket{%s%sle=\"%g\"} %llu\n", name, labels, comma, bounds[i],
                      (unsigned long long)total);
    }
    /* The count is made of the values that were just read, so that it is not less than a bucket. */
    total += atomic_load_explicit(&histogram->counts[HISTOGRAM_BOUNDS], memory_order_relaxed);
    buffer_format(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma, (unsigned long long)total);
    buffer_format(out, "%s_sum%s%s%s %.15g\n", name, open, labels, close,
                  (double)atomic_load_explicit(&histogram->sum_us, memory_order_relaxed) / 1e6);
    buffer_format(out, "%s_count%s%s%s %llu\n", name, open, labels, close, (unsigned long long)total);
}

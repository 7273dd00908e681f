/* Prometheus' text format, version 0.0.4: one family after the other, each with its HELP and TYPE. */
#ifndef COALESCED_SERVER_METRICS_EXPOSITION_H
#define COALESCED_SERVER_METRICS_EXPOSITION_H

#include "base/buffer.h"

enum { EXPOSITION_LABELS = 512 };

/* `type`: "counter", "gauge" or "histogram". The help is one line without a backslash. */
void exposition_family(struct buffer *out, const char *name, const char *type, const char *help);

/* `labels` as they stand between the braces, `device="0"`; empty or NULL: none. */
void exposition_sample(struct buffer *out, const char *name, const char *labels, double value);

/* A family of one sample without labels. */
void exposition_single(struct buffer *out, const char *name, const char *type, const char *help,
                       double value);

/* Writes `name="value"` with what must be escaped in it; what does not fit is cut off. */
void exposition_label(char *to, size_t size, const char *name, const char *value);

#endif

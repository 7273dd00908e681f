/* Counters and histograms of what has happened since the program started, and the figures of the process, for /metrics. The values of labels
   come from fixed tables, so that ids and names of users never become labels. There is one set in a process,
   as there is one log. All functions: any thread, without a lock. A restart begins at 0, as Prometheus
   expects. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"

enum { METRICS_DEVICES = 128 };

enum metrics_event {
    EVENT_SUBMITTED, /* an experiment was queued and is on disk */
    EVENT_ENDED,     /* value: "succeeded", "cancelled", or error_kind_name() of a failure */
    EVENT_UNSTABLE,  /* value: stability_code_name(); one result may count several times */
    EVENT_RESTART,   /* value: why an executor ended; see the table in metrics.c */
    EVENT_INCORRECT, /* value: the kernel's name; without a device */
    METRICS_EVENTS
};

/* Counts an event. A value that is not in the event's table counts as "other". `device`: its number; -1 for
   an experiment that is bound to no device. Numbers out of range are dropped. */
void metrics_count(enum metrics_event event, int device, const char *value, uint64_t count);

enum metrics_span {
    SPAN_WAIT, /* from submission to the (last) begin */
    SPAN_RUN,  /* from there to the end */
    METRICS_SPANS
};

void metrics_span(enum metrics_span span, int device, double seconds);

/* Counts an HTTP request. `route`: the pattern, static; NULL: no route. `method`: as the client sent it.
   `code`: 0 when there was no reply. */
void metrics_request(const char *route, const char *method, unsigned code, double seconds);

/* The label "device" of experiments that are bound to no device. */
extern const char metrics_any[];

/* Writes everything, for devices with numbers below `devices`; with several devices also for unbound experiments. Of the
   process and of the data directory it leaves out what cannot be read. */
void metrics_write(struct buffer *out, int devices, const char *data_dir);

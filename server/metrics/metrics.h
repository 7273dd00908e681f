/* What happened since the program started, for /metrics: counters and histograms, each with a fixed table of what its
   labels may say, so that no id and nobody's name becomes one. There is one set in a process, as there is one log. All
   functions: any thread, without a lock; the restart of the service begins them at 0, which Prometheus expects. */
#ifndef COALESCED_SERVER_METRICS_METRICS_H
#define COALESCED_SERVER_METRICS_METRICS_H

#include <stdint.h>

#include "base/buffer.h"

enum { METRICS_DEVICES = 128 };

enum metrics_event {
    EVENT_SUBMITTED, /* an experiment is queued and on disk */
    EVENT_ENDED,     /* value: "succeeded", "cancelled", or what error_kind_name() says of its failure */
    EVENT_UNSTABLE,  /* value: stability_code_name(); a result may have several */
    EVENT_RESTART,   /* value: why an executor was ended or ended by itself; see the table in metrics.c */
    EVENT_INCORRECT, /* value: the kernel's name; of no device */
    METRICS_EVENTS
};

/* A value that is not in the event's table counts as "other". The device is its number; -1: of what is submitted or ended, that
   it was bound to none. One that is out of range is dropped. */
void metrics_count(enum metrics_event event, int device, const char *value, uint64_t count);

enum metrics_span {
    SPAN_WAIT, /* from its submission to its (last) beginning */
    SPAN_RUN,  /* from there to its end */
    METRICS_SPANS
};

void metrics_span(enum metrics_span span, int device, double seconds);

/* One HTTP request that is over. `route`: the pattern, static; NULL: of no route. `method` as the client sent it. `code`:
   0 when no reply was made. */
void metrics_request(const char *route, const char *method, unsigned code, double seconds);

/* What stands for the number of a device where something is bound to none. */
extern const char metrics_any[];

/* All of it, of so many devices; where there are several, of what is bound to none too. */
void metrics_write(struct buffer *out, int devices);

#endif

/* The server's end of an executor's lease (api/protocol.h): what was received, when a beat is due, and when
   an executor that is not heard any more has certainly ended. Times are of clock_monotonic_ns(). The thread
   of its session uses it. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_LEASE_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/devices/child.h"

/* All zero before the hello. */
struct executor_lease {
    double heartbeat_s, lost_s; /* 0: no lease */
    int64_t frames;             /* received; the hello is the first */
    int64_t begun_ns;           /* when the hello was received */
    int64_t beats;              /* received since */
    int64_t heard_ns;           /* when the last frame was received */
    int64_t beat_ns;            /* when the last beat was sent */
};

/* After the hello of an executor that speaks `protocol`: sends the welcome. heartbeat_s 0: without a
   lease. */
void executor_lease_begin(struct executor_lease *lease, struct child *child, int protocol, double heartbeat_s,
                          double lost_s);

/* Notes any frame. */
void executor_lease_heard(struct executor_lease *lease);

/* Notes a beat. False: it sends more of them than its lease allows; without a lease it sends none. */
bool executor_lease_beat(struct executor_lease *lease);

/* Sends a beat when one is due. True: the executor is lost, because nothing was received for lost_s; to be
   called when all that had come was read. */
bool executor_lease_tend(struct executor_lease *lease, struct child *child);

/* When executor_lease_tend() is to be called next; INT64_MAX: never. */
int64_t executor_lease_due_ns(const struct executor_lease *lease);

/* So many seconds after its last frame an executor with that lost_s has certainly ended. */
double executor_lease_outlives_s(double lost_s);

/* When this executor has certainly ended; 0: there is no lease to end it. */
int64_t executor_lease_over_ns(const struct executor_lease *lease);

#endif

/* The server's end of an executor's lease (api/protocol.h): what was heard of it, when a beat is due, and when one that is
   not heard any more has certainly ended. Times are of clock_monotonic_ns(). The thread of its executor session uses it. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_LEASE_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/devices/child.h"

/* All zero before its hello, and for an executor without a lease. */
struct executor_lease {
    double heartbeat_s, lost_s; /* 0: none */
    int64_t lines;              /* heard since the hello, which is the first */
    int64_t begun_ns, beats;    /* when the hello was heard, and beats since */
    int64_t heard_ns, beat_ns;  /* when the last one was heard, and when a beat was last sent */
};

/* After its hello: welcomes an executor that speaks `protocol`. heartbeat_s 0: without a lease. */
void executor_lease_begin(struct executor_lease *lease, struct child *child, int protocol, double heartbeat_s,
                          double lost_s);

/* A line came, whatever it is. */
void executor_lease_heard(struct executor_lease *lease);

/* A beat came. False: an executor with that lease says fewer; without a lease it says none. */
bool executor_lease_beat(struct executor_lease *lease);

/* Sends a beat when one is due. True: the executor is lost, because nothing was heard for lost_s; to be asked when all that
   had come was read. */
bool executor_lease_tend(struct executor_lease *lease, struct child *child);

/* When executor_lease_tend() is to be called next; INT64_MAX: never. */
int64_t executor_lease_due_ns(const struct executor_lease *lease);

/* So long after the last line that was heard of it has the executor certainly ended. */
double executor_lease_outlives_s(double lost_s);

/* When the executor has ended, whatever became of it; 0: there is no lease that says so. */
int64_t executor_lease_over_ns(const struct executor_lease *lease);

#endif

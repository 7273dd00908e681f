/* The arithmetic of executor_lease.h, and its welcome and beats. */
#include "server/devices/executor_lease.h"

#include "api/protocol.h"
#include "base/clock.h"

/* For clocks of different speed, and for the end of a process. */
static const double margin_s = 1, margin_part = 0.05;
/* Beats that are allowed beyond those due by the server's clock: the executor's may be faster, and the server
   may have been suspended. */
static const double beats_factor = 2, beats_extra = 16;

static int64_t ns_of(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

/* Takes over the frame. A failure is noticed later, by the executor's silence. */
static void send(struct child *child, struct buffer frame)
{
    child_send(child, &frame);
    buffer_free(&frame);
}

void executor_lease_begin(struct executor_lease *lease, struct child *child, int protocol, double heartbeat_s,
                          double lost_s)
{
    int64_t now = clock_monotonic_ns();
    *lease = (struct executor_lease){.frames = 1, .begun_ns = now, .heard_ns = now};
    if (heartbeat_s > 0) {
        lease->heartbeat_s = heartbeat_s;
        lease->lost_s = lost_s;
    }
    lease->beat_ns = lease->heard_ns;
    send(child, protocol_write_welcome(protocol, lease->heartbeat_s, lease->lost_s));
}

void executor_lease_heard(struct executor_lease *lease)
{
    lease->frames++;
    lease->heard_ns = clock_monotonic_ns();
}

bool executor_lease_beat(struct executor_lease *lease)
{
    double since_s = (double)(clock_monotonic_ns() - lease->begun_ns) / 1e9;
    return lease->heartbeat_s > 0 &&
           (double)++lease->beats * lease->heartbeat_s <=
               beats_factor * since_s + lease->lost_s + beats_extra * lease->heartbeat_s;
}

bool executor_lease_tend(struct executor_lease *lease, struct child *child)
{
    int64_t now = clock_monotonic_ns();
    if (lease->heartbeat_s == 0)
        return false;
    if (now >= lease->beat_ns + ns_of(lease->heartbeat_s)) {
        lease->beat_ns = now;
        send(child, protocol_write_beat(lease->frames));
    }
    return now >= lease->heard_ns + ns_of(lease->lost_s);
}

int64_t executor_lease_due_ns(const struct executor_lease *lease)
{
    int64_t beat_ns = lease->beat_ns + ns_of(lease->heartbeat_s);
    int64_t lost_ns = lease->heard_ns + ns_of(lease->lost_s);
    return lease->heartbeat_s == 0 ? INT64_MAX : beat_ns < lost_ns ? beat_ns : lost_ns;
}

double executor_lease_outlives_s(double lost_s)
{
    return lost_s * (1 + margin_part) + margin_s;
}

int64_t executor_lease_over_ns(const struct executor_lease *lease)
{
    return lease->heartbeat_s == 0 ? 0 : lease->heard_ns + ns_of(executor_lease_outlives_s(lease->lost_s));
}

/* Changes of a supervisor's state: supervisor_state.h. */
#include "server/devices/supervisor_state.h"

#include <stdio.h>

#include "base/clock.h"

int64_t supervisor_state_process(const struct supervisor *s)
{
    return s->status.context ? s->process : 0;
}

static enum device_readiness readiness_of(const struct supervisor *s)
{
    return s->stuck || s->resting ? DEVICE_UNHEALTHY
           : !s->session.child    ? DEVICE_AWAY
           : s->begun             ? DEVICE_READY
                                  : DEVICE_STARTING;
}

static void readiness_publish(struct supervisor *s)
{
    const struct device_status *status = &s->status;
    bool same = s->published && s->published_readiness == status->readiness &&
                s->published_context == status->context;
    if (!s->config.readiness || same)
        return;
    s->published = true;
    s->published_readiness = status->readiness;
    s->published_context = status->context;
    s->config.readiness(s->config.readiness_arg, status->readiness, status->context);
}

void supervisor_state_publish(struct supervisor *s)
{
    s->status.executor = s->session.child ? child_pid(s->session.child) : 0;
    s->status.own.pid[0] = supervisor_state_process(s);
    s->status.readiness = readiness_of(s);
    if (s->devices && s->config.counting)
        devices_set_counting(s->devices, s->config.device, supervisor_state_process(s));
    else if (s->devices)
        devices_set(s->devices, s->config.device, &s->status);
    /* Last: the queue reads the device's row when it is called. */
    readiness_publish(s);
}

void supervisor_state_discard(struct supervisor *s, double patience_s, char *how, size_t size)
{
    s->stuck = child_end(s->session.child, patience_s) < 0;
    if (how && s->stuck)
        snprintf(how, size, "it does not end, not even by SIGKILL");
    else if (how)
        child_describe(s->session.child, how, size);
    s->status.context = s->stuck && s->status.context;
    s->begun = false;
    if (!s->stuck) {
        s->killed = child_killed_from_outside(s->session.child);
        s->crashed = child_crashed(s->session.child);
        child_free(s->session.child);
        s->session.child = NULL;
    }
    supervisor_state_publish(s);
}

int supervisor_state_unhealthy(struct supervisor *s, const char *reason)
{
    backoff_fail(&s->backoff, s->name, reason);
    if (s->over_ns > s->backoff.until_ns)
        s->backoff.until_ns = s->over_ns;
    s->resting = true;
    s->status.healthy = false;
    s->status.failed = true;
    snprintf(s->status.reason, sizeof s->status.reason, "%s", reason);
    supervisor_state_publish(s);
    return -1;
}

/* An executor behind a connection has not shown that it works before it has answered. */
void supervisor_state_healthy(struct supervisor *s)
{
    if (s->config.own)
        backoff_works(&s->backoff, s->name);
    s->begun = true;
    s->hello_ns = clock_monotonic_ns();
    s->status.healthy = true;
    s->status.reason[0] = '\0';
    supervisor_state_publish(s);
}

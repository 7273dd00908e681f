#include "server/devices/executor_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/metrics/metrics.h"

/* What has ended by itself is gone in so long. */
static const double leave_s = 2;
/* The known copy, by which a fresh executor shows that the device is in order. */
static const char self_test_id[] = "selftest";
static const char self_test_request[] =
    "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}";
static const double self_test_s = 30;

/* Ends a fresh executor that is no good and says why. `stopping`: that is no fault of the device's. */
static int reject(struct supervisor *s, const struct error *why, bool stopping, bool ended)
{
    char how[512], waited[sizeof s->status.reason], reason[sizeof why->text + sizeof how + 32];
    memcpy(waited, s->status.reason, sizeof waited);
    supervisor_state_discard(s, ended ? leave_s : 0, how, sizeof how);
    if (stopping) {
        s->status.reason[0] = '\0';
        supervisor_state_publish(s);
        return -1;
    }
    metrics_count(EVENT_RESTART, s->config.device, "failed_start", 1);
    if (ended)
        snprintf(reason, sizeof reason, "%s: %s", why->text, how);
    else
        snprintf(reason, sizeof reason, "%s%s%s", why->text, waited[0] ? "; it waits: " : "", waited);
    return supervisor_state_unhealthy(s, reason);
}

/* While an allocation is waited for. */
static void on_wait(void *arg)
{
    struct supervisor *s = arg;
    _Static_assert(sizeof s->status.reason == WAITING_TEXT_BYTES,
                   "what is waited for is the device's reason");
    if (start_wait_look(&s->waiting, s->executor_session.child, s->status.reason))
        supervisor_state_publish(s);
    if (s->config.executor_session.tick)
        s->config.executor_session.tick(s->config.executor_session.tick_arg);
}

static int greet(struct supervisor *s, struct message *hello, struct error *error)
{
    struct executor_session_config config = s->config.executor_session;
    s->waiting = (struct start_wait){.why = s->why[0] ? s->why : NULL};
    if (config.tick) { /* our own are there at once, and their device's host is left in peace */
        config.tick = on_wait;
        config.tick_arg = s;
    }
    int failed = executor_session_hello(&s->executor_session, &config, hello, error);
    start_wait_end(&s->waiting);
    return failed;
}

static int handshake(struct supervisor *s)
{
    struct message hello;
    struct error error = {0};
    s->executor_session = (struct executor_session){0};
    if (child_start(&s->executor_session.child, s->name, s->argv, s->config.own, &error) < 0)
        return supervisor_state_unhealthy(s, error.text);
    s->status.reason[0] = '\0';
    supervisor_state_publish(s);
    if (greet(s, &hello, &error) < 0)
        return reject(s, &error, error.kind == ERROR_UNAVAILABLE, error.kind == ERROR_CRASHED);
    bool another = strcmp(s->status.executor_build, hello.build) != 0;
    s->status.facts = hello.facts;
    s->status.known = true;
    s->status.can_count = hello.can_count;
    s->process = hello.pid ? hello.pid : child_pid(s->executor_session.child);
    memcpy(s->status.executor_build, hello.build, sizeof s->status.executor_build);
    log_line(another || !s->config.release ? LOG_INFO : LOG_DEBUG,
             "%s: %s, executor %ld of build %s, protocol %d", s->name, hello.facts.name,
             (long)child_pid(s->executor_session.child), hello.build, hello.protocol);
    protocol_message_free(&hello);
    return 0;
}

static int self_test(struct supervisor *s)
{
    struct executor_session_config config = s->config.executor_session;
    struct outcome outcome;
    struct error why = {0};
    struct buffer frame = protocol_write_run(self_test_id, s->config.device, self_test_request, NULL);
    const struct question question = {MESSAGE_RESULT, self_test_id, &frame, self_test_s, true};
    config.grace_s = 0;
    s->status.context = true;
    s->used_ns = clock_monotonic_ns();
    enum executor_session_end end = executor_session_ask(&s->executor_session, &config, &question, &outcome);
    buffer_free(&frame);
    bool passed = outcome.end == OUTCOME_RESULT;
    bool stopping = outcome.end == OUTCOME_UNTOUCHED && end == DIALOGUE_CUT;
    if (!passed)
        error_set(&why, ERROR_CRASHED, "a fresh executor failed its test copy%s%s",
                  outcome.failure.text[0] ? ": " : "", outcome.failure.text);
    outcome_free(&outcome);
    return passed ? 0 : reject(s, &why, stopping, end == DIALOGUE_ENDED);
}

int executor_start(struct supervisor *s)
{
    if (s->stuck) {
        supervisor_state_discard(s, 0, NULL, 0);
        if (s->stuck)
            return supervisor_state_unhealthy(s, "its last executor does not end, not even by SIGKILL");
    }
    s->resting = false;
    s->busy = true;
    int failed = handshake(s) < 0 || (s->test_due && self_test(s) < 0);
    s->busy = false;
    if (failed)
        return -1;
    s->test_due = false;
    supervisor_state_healthy(s);
    return 0;
}

/* What happens to an executor between and after its questions: supervisor.h. */
#include "server/devices/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/supervisor_state.h"
#include "server/metrics/metrics.h"

/* How long an executor may take to leave after it was asked to, or said it would. */
static const double leave_s = 2;
static const double own_pause_s = 30, pause_s = 300;

/* The command with the executor's options; its texts are borrowed. NULL: no memory. */
static const char **argv_make(const struct executor_config *config, bool counting)
{
    size_t count = 0;
    while (config->command[count])
        count++;
    const char **argv = calloc(count + 6, sizeof *argv);
    if (!argv)
        return NULL;
    memcpy(argv, config->command, count * sizeof *argv);
    argv[count++] = "--device";
    argv[count++] = config->spec;
    if (config->lock_dir) {
        argv[count++] = "--lock-dir";
        argv[count++] = config->lock_dir;
    }
    if (counting)
        argv[count++] = "--counting";
    return argv;
}

int supervisor_new(struct supervisor **out, bool counting, const struct executor_config *config,
                   const struct executor_callbacks *callbacks, struct devices *devices, struct error *error)
{
    const struct device_listing *listing = &config->listing;
    struct supervisor *s = calloc(1, sizeof *s);
    if (!s || !(s->argv = argv_make(config, counting))) {
        free(s);
        return error_set(error, ERROR_MEMORY, "no memory for a supervisor");
    }
    s->config = config;
    s->callbacks = *callbacks;
    s->counting = counting;
    s->devices = devices;
    s->backoff = (struct backoff){.most_s = listing->own ? own_pause_s : pause_s, .jitter = !listing->own};
    const char *suffix = counting ? ", counting" : "";
    if (listing->own || !listing->name[0])
        snprintf(s->name, sizeof s->name, "device %d%s", config->number, suffix);
    else
        snprintf(s->name, sizeof s->name, "%s%s", listing->name, suffix);
    if (counting) {
        s->callbacks.hello = NULL;
        s->callbacks.readiness = NULL;
    } else if (devices) {
        devices_get(devices, config->number, &s->status);
        if (listing->release && s->status.known) { /* it can be started, as far as is known */
            s->status.healthy = true;
            s->status.reason[0] = '\0';
        }
    }
    s->status.readiness = DEVICE_AWAY;
    s->published = -1;
    supervisor_publish(s);
    *out = s;
    return 0;
}

void supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    if (s->session.child)
        supervisor_end_executor(s, leave_s);
    child_free(s->session.child);
    free(s->argv);
    free(s);
}

bool supervisor_usable(const struct supervisor *s)
{
    return s->session.child && s->status.readiness == DEVICE_READY;
}

const struct device_status *supervisor_status(const struct supervisor *s)
{
    return &s->status;
}

/* ---- between questions ---- */

/* Ends an executor that works well. */
static void end_unneeded(struct supervisor *s, const char *why)
{
    supervisor_end_executor(s, leave_s);
    metrics_count(EVENT_RESTART, s->config->number, why, 1);
    backoff_works(&s->backoff, s->name);
}

/* The device may be at fault: the next executor that times passes a self-test. */
static void distrust(struct supervisor *s)
{
    s->test_due = !s->counting && (s->config->listing.own || s->ended.crashed);
}

/* Why the executor ended, as EVENT_RESTART of metrics.h takes it. outcome NULL: it had no question. */
static const char *restart_reason(const struct supervisor *s, enum executor_session_end end,
                                  const struct executor_outcome *outcome)
{
    enum error_kind kind = outcome ? outcome->failure.kind : ERROR_NONE;
    bool lost = outcome ? outcome->end == OUTCOME_LOST : !s->ended.crashed && !s->config->listing.own;
    if (end == SESSION_ENDED)
        return s->ended.killed ? "killed" : lost ? "lost" : "crashed";
    if (end == SESSION_LOST)
        return "lost";
    if (end == SESSION_LEAVING)
        return kind == ERROR_CUDA || kind == ERROR_DEVICE_LOST ? "device_error" : "left";
    if (outcome && outcome->end == OUTCOME_UNTOUCHED)
        return "stopped";
    bool ours =
        outcome && outcome->end == OUTCOME_FAILED && (kind == ERROR_TIMED_OUT || kind == ERROR_CANCELLED);
    return ours ? error_kind_name(kind) : "protocol";
}

/* An executor without a question sends beats and nothing else. */
static void listen_idle(struct supervisor *s)
{
    bool own = s->config->listing.own;
    char reason[sizeof s->ended.text + 64];
    enum executor_session_end end = executor_session_listen(&s->session);
    if (end == SESSION_GOES_ON)
        return;
    bool ends = end == SESSION_ENDED || end == SESSION_LEAVING;
    supervisor_end_executor(s, ends ? leave_s : 0);
    if (end == SESSION_LEAVING)
        snprintf(reason, sizeof reason, "its executor left without work: %s", s->session.why);
    else if (end == SESSION_LOST)
        snprintf(reason, sizeof reason, "nothing was heard of its executor for %g s", s->config->lost_s);
    else
        snprintf(reason, sizeof reason, "its executor %s without work: %s",
                 ends ? "ended" : "broke the protocol", s->ended.text);
    metrics_count(EVENT_RESTART, s->config->number, restart_reason(s, end, NULL), 1);
    if (end != SESSION_LEAVING)
        distrust(s);
    if (own)
        log_warning("%s: %s", s->name, reason);
    else
        supervisor_fail(s, reason);
}

/* An idle device holds no context, and with `release` no process: both end with the executor. The counting
   executor is held for no longer. */
static void end_idle(struct supervisor *s)
{
    const struct device_listing *listing = &s->config->listing;
    int64_t last_ns = s->used_ns > s->session.hello_ns ? s->used_ns : s->session.hello_ns;
    bool held = listing->release && !s->counting && !clock_passed(s->session.hello_ns, listing->hold_s);
    if ((!s->status.context && !listing->release) || held || !clock_passed(last_ns, listing->idle_s))
        return;
    log_line(listing->release ? LOG_DEBUG : LOG_INFO, "%s: idle for %g s, its executor is ended", s->name,
             listing->idle_s);
    end_unneeded(s, "idle");
}

void supervisor_check(struct supervisor *s)
{
    if (supervisor_usable(s))
        listen_idle(s);
    if (supervisor_usable(s))
        end_idle(s);
}

void supervisor_tick(struct supervisor *s)
{
    bool starting = s->session.child && s->status.readiness == DEVICE_STARTING && !s->session.hello_ns;
    _Static_assert(sizeof s->status.reason == START_WAIT_BYTES,
                   "what a start waits for is published as the device's reason");
    if (starting && start_wait_look(&s->start_wait, s->session.child, s->status.reason))
        supervisor_publish(s);
    else if (!s->busy && supervisor_usable(s))
        listen_idle(s);
}

void supervisor_pause(struct supervisor *s)
{
    supervisor_check(s);
    if (s->status.readiness != DEVICE_UNHEALTHY)
        return;
    executor_session_pause(&s->callbacks, s->backoff.until_ns);
    if (backoff_lasts(&s->backoff))
        return;
    if (supervisor_stuck(s))
        supervisor_end_executor(s, 0);
    if (!supervisor_stuck(s)) {
        s->status.readiness = DEVICE_AWAY;
        supervisor_publish(s);
    }
}

int supervisor_start(struct supervisor *s, bool wait)
{
    if (wait)
        supervisor_pause(s);
    supervisor_check(s);
    if (supervisor_usable(s))
        return 0;
    return backoff_lasts(&s->backoff) ? -1 : supervisor_start_executor(s);
}

bool supervisor_wait_lease_end(struct supervisor *s)
{
    if (s->over_ns)
        executor_session_pause(&s->callbacks, s->over_ns);
    return clock_monotonic_ns() >= s->over_ns;
}

bool supervisor_free_device(struct supervisor *s)
{
    if (!supervisor_usable(s) || (!s->status.context && !s->config->listing.release))
        return false;
    end_unneeded(s, "evicted");
    return true;
}

void supervisor_reject(struct supervisor *s, const char *why)
{
    if (supervisor_usable(s))
        supervisor_end_executor(s, leave_s);
    supervisor_fail(s, why);
}

/* ---- a question ---- */

/* After an end without an answer, which is a crash and the experiment's failure; or, where the end of the
   executor itself is not seen or somebody else caused it, a loss, unless the status is that of a crash. */
static void crash_or_loss(const struct supervisor *s, struct executor_outcome *outcome)
{
    error_set(&outcome->failure, ERROR_CRASHED, "the executor ended without an answer: %s", s->ended.text);
    bool unseen = !s->config->listing.own && !s->ended.crashed;
    if (!supervisor_stuck(s) && (s->ended.killed || s->session.leaving || unseen))
        outcome->end = OUTCOME_LOST;
}

/* Ends the executor after a question that it did not survive, or must not survive. */
static void end_after_question(struct supervisor *s, const char *id, enum executor_session_end end,
                               struct executor_outcome *outcome)
{
    const struct executor_session *session = &s->session;
    bool own = s->config->listing.own;
    char left[sizeof session->why + 32];
    supervisor_end_executor(s, end == SESSION_CUT || end == SESSION_LOST ? 0 : leave_s);
    if (!session->leaving)
        distrust(s);
    if (end == SESSION_ENDED && outcome->end == OUTCOME_FAILED)
        crash_or_loss(s, outcome);
    if (outcome->end == OUTCOME_LOST && !own && !session->done)
        s->over_ns = executor_session_over_ns(session);
    metrics_count(EVENT_RESTART, s->config->number, restart_reason(s, end, outcome), 1);
    bool failed = outcome->end == OUTCOME_FAILED || outcome->end == OUTCOME_LOST;
    if (failed && outcome->failure.kind != ERROR_CANCELLED)
        s->status.failures++;
    snprintf(left, sizeof left, "its executor left: %s", session->why);
    const char *reason = session->leaving ? left : failed ? outcome->failure.text : s->ended.text;
    if (!session->leaving || outcome->end != OUTCOME_RESULT)
        log_warning("%s: executor ended in experiment %s: %s", s->name, id, reason);
    if (supervisor_stuck(s))
        supervisor_fail(s, "its executor does not end, not even by SIGKILL");
    else if (!own && (outcome->end == OUTCOME_LOST || session->leaving || (end == SESSION_ENDED && !failed)))
        supervisor_fail(s, reason);
    supervisor_publish(s);
}

void supervisor_ask(struct supervisor *s, const struct executor_question *question,
                    struct executor_outcome *outcome)
{
    *outcome = (struct executor_outcome){.end = OUTCOME_UNTOUCHED};
    listen_idle(s); /* a second answer must not be taken for that of the next question */
    if (!supervisor_usable(s))
        return;
    s->status.runs++;
    s->status.context = true;
    s->over_ns = 0;
    s->busy = true;
    supervisor_publish(s);
    enum executor_session_end end = executor_question_ask(&s->session, question, outcome);
    s->busy = false;
    s->used_ns = clock_monotonic_ns();
    if (outcome->end == OUTCOME_RESULT || end == SESSION_GOES_ON)
        backoff_works(&s->backoff, s->name);
    if (end != SESSION_GOES_ON)
        end_after_question(s, question->id, end, outcome);
}

/* ---- the probe ---- */

int supervisor_probe(const struct executor_config *config, struct device_facts *facts, struct error *error)
{
    const struct executor_callbacks callbacks = {.wake_fd = -1};
    struct supervisor *s;
    struct message hello;
    struct error why = {0};
    int devices = -1;
    if (supervisor_new(&s, false, config, &callbacks, NULL, error) < 0)
        return -1;
    s->session = (struct executor_session){.config = config, .callbacks = &callbacks};
    if (child_start(&s->session.child, s->name, s->argv, config->listing.own, error) < 0)
        goto out;
    if (executor_session_hello(&s->session, config->listing.start_s, &hello, &why) < 0) {
        supervisor_end_executor(s, why.kind == ERROR_CRASHED ? leave_s : 0);
        error_set(error, why.kind, "%s: %s", why.text, s->ended.text);
        goto out;
    }
    devices = hello.devices;
    if (facts)
        *facts = hello.facts;
    protocol_message_free(&hello);
out:
    supervisor_free(s);
    return devices;
}

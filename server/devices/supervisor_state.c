/* The start and the end of an executor, and pauses: supervisor_state.h. */
#include "server/devices/supervisor_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/metrics/metrics.h"

static const double first_pause_s = 1;
/* How long a process that closed its output may take to end. */
static const double leave_s = 2;
/* An experiment waits for the start of the counting executor: counts are not worth a long wait for an
   allocation. */
static const double counting_start_max_s = 30;
/* How often the command is asked what a start waits for, and how long it may take. */
static const double ask_every_s = 5, answer_within_s = 2;
/* A copy with a known output, by which a fresh executor shows that the device works. */
static const char self_test_id[] = "selftest";
static const char self_test_request[] =
    "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}";
static const double self_test_s = 30;

/* ---- pauses ---- */

/* Numbers of jobs and processes differ each time. */
static bool same_but_for_numbers(const char *one, const char *other)
{
    static const char digits[] = "0123456789";
    for (;; one++, other++) {
        one += strspn(one, digits);
        other += strspn(other, digits);
        if (*one != *other || !*one)
            return *one == *other;
    }
}

void backoff_fail(struct backoff *backoff, const char *name, const char *reason)
{
    backoff->pause_s = fmin(backoff->pause_s == 0 ? first_pause_s : backoff->pause_s * 2, backoff->most_s);
    /* 0.75 to 1.25, from the clock: enough to separate devices that fail together. */
    double factor = 0.75 + 0.5 * (double)(clock_monotonic_ns() / 1000 % 1000) / 1000;
    double pause_s = backoff->pause_s * (backoff->jitter ? factor : 1);
    backoff->until_ns = clock_after_ns(pause_s);
    if (!same_but_for_numbers(backoff->logged, reason))
        log_error("%s: %s; tried again until it works", name, reason);
    else
        log_debug("%s: %s; next try in %g s", name, reason, pause_s);
    snprintf(backoff->logged, sizeof backoff->logged, "%s", reason);
}

void backoff_works(struct backoff *backoff, const char *name)
{
    if (backoff->logged[0])
        log_info("%s: works again", name);
    backoff->logged[0] = '\0';
    backoff->pause_s = 0;
}

bool backoff_lasts(const struct backoff *backoff)
{
    return backoff->pause_s > 0 && clock_monotonic_ns() < backoff->until_ns;
}

/* ---- what a start waits for ---- */

void start_wait_end(struct start_wait *wait)
{
    if (wait->command)
        child_end(wait->command, 0);
    child_free(wait->command);
    wait->command = NULL;
}

static void answer_read(struct start_wait *wait)
{
    struct protocol_frame frame;
    enum child_event event = child_next(wait->command, -1, 0, &frame);
    size_t length = 0;
    if (event == CHILD_QUIET && !clock_passed(wait->asked_ns, answer_within_s))
        return;
    /* Its first line alone, because a command may write without end; in ASCII, because it goes into JSON.
       Without a line the earlier answer may be wrong by now. */
    for (; event == CHILD_FRAME && length < frame.header_bytes && length < sizeof wait->answer - 1;
         length++) {
        char byte = frame.header[length];
        wait->answer[length] = byte >= ' ' && byte <= '~' ? byte : ' ';
    }
    wait->answer[length] = '\0';
    start_wait_end(wait);
}

/* The last lines that fit, as one line: srun writes why its job waits in one, and that it waits in the
   next. */
static void last_lines(const struct child *starting, char *text, size_t size)
{
    char said[CHILD_SAID_BYTES], *from = said;
    child_last_said(starting, said);
    while (strlen(from) >= size && strchr(from, '\n'))
        from = strchr(from, '\n') + 1;
    for (char *at = from; (at = strchr(at, '\n'));)
        *at = ' ';
    snprintf(text, size, "%.*s", (int)size - 1, from);
}

bool start_wait_look(struct start_wait *wait, const struct child *starting, char text[START_WAIT_BYTES])
{
    char said[START_WAIT_BYTES - sizeof wait->answer - 3], before[START_WAIT_BYTES];
    if (wait->command)
        answer_read(wait);
    else if (wait->why && (!wait->asked_ns || clock_passed(wait->asked_ns, ask_every_s))) {
        struct error error = {0};
        wait->asked_ns = clock_monotonic_ns();
        if (child_start(&wait->command, "what a start waits for", wait->why, false, &error) < 0) {
            log_debug("%s", error.text);
            wait->answer[0] = '\0';
        }
    }
    memcpy(before, text, sizeof before);
    last_lines(starting, said, sizeof said);
    bool both = said[0] && wait->answer[0];
    snprintf(text, START_WAIT_BYTES, "%s%s%s%s", said, both ? " (" : "", wait->answer, both ? ")" : "");
    return strcmp(before, text) != 0;
}

/* ---- what is published ---- */

void supervisor_publish(struct supervisor *s)
{
    struct device_status *status = &s->status;
    status->executor = s->session.child ? child_pid(s->session.child) : 0;
    status->own.pid[0] = status->context ? s->process : 0;
    if (s->devices && s->counting)
        devices_set_counting(s->devices, s->config->number, status->own.pid[0]);
    else if (s->devices)
        devices_set(s->devices, s->config->number, status);
    /* Last: the queue reads the device's row when it is called. */
    int published = 2 * (int)status->readiness + status->context;
    if (s->callbacks.readiness && s->published != published)
        s->callbacks.readiness(s->callbacks.arg, status->readiness, status->context);
    s->published = published;
}

int supervisor_fail(struct supervisor *s, const char *reason)
{
    backoff_fail(&s->backoff, s->name, reason);
    if (s->over_ns > s->backoff.until_ns)
        s->backoff.until_ns = s->over_ns;
    s->status.readiness = DEVICE_UNHEALTHY;
    s->status.healthy = false;
    s->status.failed = true;
    snprintf(s->status.reason, sizeof s->status.reason, "%s", reason);
    supervisor_publish(s);
    return -1;
}

bool supervisor_stuck(const struct supervisor *s)
{
    return s->session.child && s->status.readiness == DEVICE_UNHEALTHY;
}

/* ---- the end ---- */

void supervisor_end_executor(struct supervisor *s, double patience_s)
{
    struct child *child = s->session.child;
    if (child_end(child, patience_s) < 0) {
        s->ended = (struct child_exit){.text = "it does not end, not even by SIGKILL"};
        s->status.readiness = DEVICE_UNHEALTHY;
    } else {
        child_exit(child, &s->ended);
        child_free(child);
        s->session.child = NULL;
        s->status.context = false;
        s->status.readiness = DEVICE_AWAY;
    }
    supervisor_publish(s);
}

/* ---- the start ---- */

/* Ends a fresh executor that cannot be used, with the reason. `stopping`: the device is not at fault. */
static int reject(struct supervisor *s, const struct error *why, bool stopping, bool ended)
{
    char waited[sizeof s->status.reason], reason[sizeof why->text + sizeof s->ended.text + 32];
    memcpy(waited, s->status.reason, sizeof waited);
    supervisor_end_executor(s, ended ? leave_s : 0);
    if (stopping) {
        s->status.reason[0] = '\0';
        supervisor_publish(s);
        return -1;
    }
    metrics_count(EVENT_RESTART, s->config->number, "failed_start", 1);
    if (ended)
        snprintf(reason, sizeof reason, "%s: %s", why->text, s->ended.text);
    else
        snprintf(reason, sizeof reason, "%s%s%s", why->text, waited[0] ? "; it waits: " : "", waited);
    return supervisor_fail(s, reason);
}

static int handshake(struct supervisor *s)
{
    const struct executor_config *config = s->config;
    bool capped = s->counting && config->listing.start_s > counting_start_max_s;
    struct message hello;
    struct error error = {0};
    s->session = (struct executor_session){.config = config, .callbacks = &s->callbacks};
    if (child_start(&s->session.child, s->name, s->argv, config->listing.own, &error) < 0)
        return supervisor_fail(s, error.text);
    s->status.readiness = DEVICE_STARTING;
    s->status.reason[0] = '\0';
    supervisor_publish(s);
    s->start_wait = (struct start_wait){.why = config->why};
    int failed = executor_session_hello(&s->session, capped ? counting_start_max_s : config->listing.start_s,
                                        &hello, &error);
    start_wait_end(&s->start_wait);
    if (failed)
        return reject(s, &error, error.kind == ERROR_UNAVAILABLE, error.kind == ERROR_CRASHED);
    bool another = strcmp(s->status.executor_build, hello.build) != 0;
    s->status.facts = hello.facts;
    s->status.known = true;
    s->status.can_count = hello.can_count;
    s->process = hello.pid ? hello.pid : child_pid(s->session.child);
    memcpy(s->status.executor_build, hello.build, sizeof s->status.executor_build);
    log_line(another || !config->listing.release ? LOG_INFO : LOG_DEBUG,
             "%s: %s, executor %ld of build %s, protocol %d", s->name, hello.facts.name,
             (long)child_pid(s->session.child), hello.build, hello.protocol);
    protocol_message_free(&hello);
    return 0;
}

static int self_test(struct supervisor *s)
{
    struct executor_outcome outcome;
    struct error why = {0};
    struct buffer frame = protocol_write_run(self_test_id, s->config->number, self_test_request, NULL);
    const struct executor_question question = {MESSAGE_RESULT, self_test_id, &frame, self_test_s, true};
    s->status.context = true;
    s->used_ns = clock_monotonic_ns();
    enum executor_session_end end = executor_question_ask(&s->session, &question, &outcome);
    buffer_free(&frame);
    bool passed = outcome.end == OUTCOME_RESULT;
    bool stopping = outcome.end == OUTCOME_UNTOUCHED && end == SESSION_CUT;
    if (!passed)
        error_set(&why, ERROR_CRASHED, "a fresh executor failed its test copy%s%s",
                  outcome.failure.text[0] ? ": " : "", outcome.failure.text);
    protocol_message_free(&outcome.answer);
    return passed ? 0 : reject(s, &why, stopping, end == SESSION_ENDED);
}

int supervisor_start_executor(struct supervisor *s)
{
    if (supervisor_stuck(s))
        supervisor_end_executor(s, 0);
    if (supervisor_stuck(s))
        return supervisor_fail(s, "its last executor does not end, not even by SIGKILL");
    s->busy = true;
    int failed = handshake(s) < 0 || (s->test_due && self_test(s) < 0);
    s->busy = false;
    if (failed)
        return -1;
    /* An executor behind a connection has not shown that it works before it has answered. */
    if (s->config->listing.own)
        backoff_works(&s->backoff, s->name);
    s->test_due = false;
    s->status.readiness = DEVICE_READY;
    s->status.healthy = true;
    s->status.reason[0] = '\0';
    supervisor_publish(s);
    return 0;
}

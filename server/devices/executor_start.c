/* Starts executors, and finds out what a start waits for: executor_start.h. */
#include "server/devices/executor_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/metrics/metrics.h"

/* How long a process that closed its output may take to end. */
static const double leave_s = 2;
/* A copy with a known output, by which a fresh executor shows that the device works. */
static const char self_test_id[] = "selftest";
static const char self_test_request[] =
    "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}";
static const double self_test_s = 30;

static const double ask_every_s = 5, answer_within_s = 2;

/* ---- what a start waits for ---- */

void executor_start_look_end(struct start_wait *wait)
{
    if (wait->command)
        child_end(wait->command, 0);
    child_free(wait->command);
    wait->command = NULL;
}

/* In ASCII, because it goes into JSON. */
static void answer_set(struct start_wait *wait, const char *line, size_t length)
{
    length = length < sizeof wait->answer ? length : sizeof wait->answer - 1;
    for (size_t i = 0; i < length; i++)
        wait->answer[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : ' ';
    wait->answer[length] = '\0';
}

static void answer_read(struct start_wait *wait)
{
    struct protocol_frame frame;
    enum child_event event = child_next(wait->command, -1, 0, &frame);
    if (event == CHILD_QUIET && !clock_passed(wait->asked_ns, answer_within_s))
        return;
    /* Its first line alone: a command may write without end. */
    if (event == CHILD_FRAME)
        answer_set(wait, frame.header, frame.header_bytes);
    else
        wait->answer[0] = '\0'; /* the earlier answer may be wrong by now */
    executor_start_look_end(wait);
}

static void command_start(struct start_wait *wait)
{
    struct error error = {0};
    wait->asked_ns = clock_monotonic_ns();
    if (child_start(&wait->command, "what a start waits for", wait->why, false, &error) < 0) {
        wait->command = NULL;
        wait->answer[0] = '\0';
        log_debug("%s", error.text);
    }
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
    size_t length = strnlen(from, size - 1);
    memcpy(text, from, length);
    text[length] = '\0';
}

bool executor_start_look(struct start_wait *wait, const struct child *starting, char text[START_WAIT_BYTES])
{
    char said[START_WAIT_BYTES - sizeof wait->answer - 3], before[START_WAIT_BYTES];
    if (wait->command)
        answer_read(wait);
    else if (wait->why && (!wait->asked_ns || clock_passed(wait->asked_ns, ask_every_s)))
        command_start(wait);
    memcpy(before, text, sizeof before);
    last_lines(starting, said, sizeof said);
    const char *answer = wait->answer;
    if (said[0] && answer[0])
        snprintf(text, START_WAIT_BYTES, "%s (%s)", said, answer);
    else
        snprintf(text, START_WAIT_BYTES, "%s", said[0] ? said : answer);
    return strcmp(before, text) != 0;
}

/* ---- the start ---- */

/* Ends a fresh executor that cannot be used, with the reason. `stopping`: the device is not at fault. */
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

/* The tick while a start is waited for. */
static void on_wait(void *arg)
{
    struct supervisor *s = arg;
    _Static_assert(sizeof s->status.reason == START_WAIT_BYTES,
                   "what a start waits for is published as the device's reason");
    if (executor_start_look(&s->start_wait, s->session.child, s->status.reason))
        supervisor_state_publish(s);
    if (s->config.session.tick)
        s->config.session.tick(s->config.session.tick_arg);
}

static int greet(struct supervisor *s, struct message *hello, struct error *error)
{
    struct executor_session_config config = s->config.session;
    s->start_wait = (struct start_wait){.why = s->why[0] ? s->why : NULL};
    if (config.tick) { /* executors of this program start at once, and have no tick */
        config.tick = on_wait;
        config.tick_arg = s;
    }
    int failed = executor_session_hello(&s->session, &config, hello, error);
    executor_start_look_end(&s->start_wait);
    return failed;
}

static int handshake(struct supervisor *s)
{
    struct message hello;
    struct error error = {0};
    s->session = (struct executor_session){0};
    if (child_start(&s->session.child, s->name, s->argv, s->config.own, &error) < 0)
        return supervisor_state_unhealthy(s, error.text);
    s->status.reason[0] = '\0';
    supervisor_state_publish(s);
    if (greet(s, &hello, &error) < 0)
        return reject(s, &error, error.kind == ERROR_UNAVAILABLE, error.kind == ERROR_CRASHED);
    bool another = strcmp(s->status.executor_build, hello.build) != 0;
    s->status.facts = hello.facts;
    s->status.known = true;
    s->status.can_count = hello.can_count;
    s->process = hello.pid ? hello.pid : child_pid(s->session.child);
    memcpy(s->status.executor_build, hello.build, sizeof s->status.executor_build);
    log_line(another || !s->config.release ? LOG_INFO : LOG_DEBUG,
             "%s: %s, executor %ld of build %s, protocol %d", s->name, hello.facts.name,
             (long)child_pid(s->session.child), hello.build, hello.protocol);
    protocol_message_free(&hello);
    return 0;
}

static int self_test(struct supervisor *s)
{
    struct executor_session_config config = s->config.session;
    struct executor_outcome outcome;
    struct error why = {0};
    struct buffer frame = protocol_write_run(self_test_id, s->config.device, self_test_request, NULL);
    const struct executor_question question = {MESSAGE_RESULT, self_test_id, &frame, self_test_s, true};
    config.grace_s = 0;
    s->status.context = true;
    s->used_ns = clock_monotonic_ns();
    enum executor_session_end end = executor_question_ask(&s->session, &config, &question, &outcome);
    buffer_free(&frame);
    bool passed = outcome.end == OUTCOME_RESULT;
    bool stopping = outcome.end == OUTCOME_UNTOUCHED && end == SESSION_CUT;
    if (!passed)
        error_set(&why, ERROR_CRASHED, "a fresh executor failed its test copy%s%s",
                  outcome.failure.text[0] ? ": " : "", outcome.failure.text);
    executor_question_free_outcome(&outcome);
    return passed ? 0 : reject(s, &why, stopping, end == SESSION_ENDED);
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

#include "server/devices/executor/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/executor/child.h"
#include "server/metrics/metrics.h"

/* An executor that is asked to leave, or that said it would, gets so long before it is ended. */
static const double leave_s = 2;
static const double pause_first_s = 1, pause_most_s = 30;
/* The known copy, by which a fresh executor shows that the device is in order. */
static const char self_test_id[] = "selftest";
static const char self_test_request[] =
    "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}";
static const double self_test_s = 30;

struct supervisor {
    struct supervisor_config config; /* its texts are ours */
    const char **argv;               /* ended by NULL; the texts are the config's */
    char name[32];
    struct devices *devices;
    struct device_status status;
    struct dialogue dialogue; /* child NULL: no executor */
    int64_t process;          /* the executor's, by its own word; 0: none */
    bool can_count;           /* of the last hello */
    bool stuck;               /* the child was killed and is not gone */
    bool killed;              /* the last one was, by somebody else */
    bool test_due;            /* the next executor must show a verified copy before it gets work */
    int64_t used_ns;          /* when the executor last had work */
    double pause_s;           /* the present pause between two tries; 0: all is well */
    int64_t retry_ns;         /* when the next try is due */
    char logged[256];         /* the reason that the log has last */
};

/* ---- its configuration ---- */

static void config_free(struct supervisor *s)
{
    for (int i = 0; s->config.command && s->config.command[i]; i++)
        free((char *)s->config.command[i]);
    free((void *)s->config.command);
    free((char *)s->config.spec);
    free((char *)s->config.lock_dir);
    free(s->argv);
}

static int config_copy(struct supervisor *s, const struct supervisor_config *config)
{
    int count = 0;
    while (config->command[count])
        count++;
    s->config = *config;
    const char **command = calloc((size_t)count + 1, sizeof *command);
    s->argv = calloc((size_t)count + 6, sizeof *s->argv);
    s->config.command = command;
    s->config.spec = strdup(config->spec);
    s->config.lock_dir = config->lock_dir ? strdup(config->lock_dir) : NULL;
    if (!command || !s->argv || !s->config.spec || (config->lock_dir && !s->config.lock_dir))
        return -1;
    for (int i = 0; i < count; i++)
        if (!(s->argv[i] = command[i] = strdup(config->command[i])))
            return -1;
    s->argv[count++] = "--device";
    s->argv[count++] = s->config.spec;
    if (s->config.lock_dir) {
        s->argv[count++] = "--lock-dir";
        s->argv[count++] = s->config.lock_dir;
    }
    if (s->config.counting)
        s->argv[count++] = "--counting";
    return 0;
}

int supervisor_new(struct supervisor **out, const struct supervisor_config *config, struct devices *devices,
                   struct error *error)
{
    struct supervisor *s = calloc(1, sizeof *s);
    if (!s || config_copy(s, config) < 0) {
        supervisor_free(s);
        return error_set(error, ERROR_MEMORY, "no memory for a supervisor");
    }
    s->devices = devices;
    snprintf(s->name, sizeof s->name, "device %d%s", config->device, config->counting ? ", counting" : "");
    if (devices && !config->counting)
        devices_get(devices, config->device, &s->status);
    *out = s;
    return 0;
}

int64_t supervisor_process(const struct supervisor *s)
{
    return s->status.context ? s->process : 0;
}

static void publish(struct supervisor *s)
{
    s->status.executor = s->dialogue.child ? child_pid(s->dialogue.child) : 0;
    s->status.own.pid[0] = supervisor_process(s);
    if (s->devices && s->config.counting)
        devices_set_counting(s->devices, s->config.device, supervisor_process(s));
    else if (s->devices)
        devices_set(s->devices, s->config.device, &s->status);
}

/* ---- the end of an executor ---- */

/* Ends the executor, and tells in *how (may be NULL) how it ended. */
static void discard(struct supervisor *s, double patience_s, char *how, size_t size)
{
    s->stuck = child_end(s->dialogue.child, patience_s) < 0;
    if (how && s->stuck)
        snprintf(how, size, "it does not end, not even by SIGKILL");
    else if (how)
        child_describe(s->dialogue.child, how, size);
    s->status.context = s->stuck && s->status.context;
    if (!s->stuck) {
        s->killed = child_killed_from_outside(s->dialogue.child);
        child_free(s->dialogue.child);
        s->dialogue.child = NULL;
    }
    publish(s);
}

static void retire(struct supervisor *s, const char *why)
{
    discard(s, leave_s, NULL, 0);
    metrics_count(EVENT_RESTART, s->config.device, why, 1);
}

void supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    if (s->dialogue.child)
        discard(s, leave_s, NULL, 0);
    child_free(s->dialogue.child);
    config_free(s);
    free(s);
}

/* ---- the beginning of one ---- */

/* The executor cannot be used; the pause before the next try doubles. The log is told once, and again when the reason is
   another one. Returns -1. */
static int mark_unhealthy(struct supervisor *s, const char *reason)
{
    s->pause_s = s->pause_s == 0 ? pause_first_s : s->pause_s * 2;
    if (s->pause_s > pause_most_s)
        s->pause_s = pause_most_s;
    s->retry_ns = clock_monotonic_ns() + (int64_t)(s->pause_s * 1e9);
    s->status.healthy = false;
    snprintf(s->status.reason, sizeof s->status.reason, "%s", reason);
    if (strcmp(s->logged, s->status.reason) != 0)
        log_error("%s: %s; tried again until it works", s->name, reason);
    else
        log_debug("%s: %s; next try in %g s", s->name, reason, s->pause_s);
    memcpy(s->logged, s->status.reason, sizeof s->logged);
    publish(s);
    return -1;
}

static void mark_healthy(struct supervisor *s)
{
    if (s->logged[0])
        log_info("%s: works again", s->name);
    s->logged[0] = '\0';
    s->pause_s = 0;
    s->status.healthy = true;
    s->status.reason[0] = '\0';
    publish(s);
}

/* Ends a fresh executor that is no good and says why. `stopping`: that is no fault of the device's. */
static int reject(struct supervisor *s, const struct error *why, bool stopping, bool ended)
{
    char how[512], reason[sizeof why->text + sizeof how + 2]; /* and ": " */
    discard(s, ended ? leave_s : 0, how, sizeof how);
    if (stopping)
        return -1;
    metrics_count(EVENT_RESTART, s->config.device, "failed_start", 1);
    snprintf(reason, sizeof reason, "%s%s%s", why->text, ended ? ": " : "", ended ? how : "");
    return mark_unhealthy(s, reason);
}

static int handshake(struct supervisor *s)
{
    struct message hello;
    struct error error = {0};
    s->dialogue = (struct dialogue){0};
    if (child_start(&s->dialogue.child, s->name, s->argv, s->config.own, &error) < 0)
        return mark_unhealthy(s, error.text);
    publish(s);
    if (dialogue_hello(&s->dialogue, &s->config.dialogue, &hello, &error) < 0)
        return reject(s, &error, error.kind == ERROR_UNAVAILABLE, error.kind == ERROR_CRASHED);
    s->status.facts = hello.facts;
    s->status.known = true;
    s->can_count = hello.can_count;
    s->process = hello.pid ? hello.pid : child_pid(s->dialogue.child);
    log_info("%s: %s, executor %ld of build %s", s->name, hello.facts.name,
             (long)child_pid(s->dialogue.child), hello.build);
    message_free(&hello);
    return 0;
}

static int self_test(struct supervisor *s)
{
    struct dialogue_config config = s->config.dialogue;
    struct outcome outcome;
    struct error why = {0};
    char *line = message_run(self_test_id, self_test_request, NULL, 0);
    const struct question question = {MESSAGE_RESULT, self_test_id, line, self_test_s, true};
    config.grace_s = 0;
    s->status.context = true;
    s->used_ns = clock_monotonic_ns();
    enum dialogue_end end = dialogue_ask(&s->dialogue, &config, &question, &outcome);
    free(line);
    bool passed = outcome.end == OUTCOME_RESULT;
    bool stopping = outcome.end == OUTCOME_UNTOUCHED && end == DIALOGUE_CUT;
    if (!passed)
        error_set(&why, ERROR_CRASHED, "a fresh executor failed its test copy%s%s",
                  outcome.failure.text[0] ? ": " : "", outcome.failure.text);
    outcome_free(&outcome);
    return passed ? 0 : reject(s, &why, stopping, end == DIALOGUE_ENDED);
}

static int begin(struct supervisor *s)
{
    if (s->stuck) {
        discard(s, 0, NULL, 0);
        if (s->stuck)
            return mark_unhealthy(s, "its last executor does not end, not even by SIGKILL");
    }
    if (handshake(s) < 0 || (s->test_due && self_test(s) < 0))
        return -1;
    s->test_due = false;
    mark_healthy(s);
    return 0;
}

/* ---- between questions ---- */

/* Its device may be at fault, which a self-test finds out; that is the affair of the executor that times. */
static void distrust(struct supervisor *s)
{
    s->test_due = !s->config.counting;
}

/* An executor that waits for work must be silent and alive. */
static void check_idle(struct supervisor *s)
{
    const char *line;
    size_t length;
    char how[512];
    enum child_event event = child_next(s->dialogue.child, -1, 0, &line, &length);
    if (event == CHILD_QUIET)
        return;
    bool ended = event == CHILD_ENDED;
    discard(s, ended ? leave_s : 0, how, sizeof how);
    distrust(s);
    metrics_count(EVENT_RESTART, s->config.device, ended ? s->killed ? "killed" : "crashed" : "protocol", 1);
    log_warning("%s: its executor %s without work: %s", s->name, ended ? "ended" : "broke the protocol", how);
}

/* An idle device is empty: the context goes with its process. */
static void end_idle(struct supervisor *s)
{
    if (!s->status.context || clock_monotonic_ns() - s->used_ns < (int64_t)(s->config.idle_s * 1e9))
        return;
    log_info("%s: idle for %g s, its executor is ended", s->name, s->config.idle_s);
    retire(s, "idle");
}

bool supervisor_usable(const struct supervisor *s)
{
    return s->dialogue.child && !s->stuck;
}

void supervisor_tidy(struct supervisor *s)
{
    if (supervisor_usable(s))
        check_idle(s);
    if (supervisor_usable(s))
        end_idle(s);
}

int supervisor_try(struct supervisor *s)
{
    supervisor_tidy(s);
    if (supervisor_usable(s))
        return 0;
    return s->pause_s > 0 && clock_monotonic_ns() < s->retry_ns ? -1 : begin(s);
}

int supervisor_ready(struct supervisor *s)
{
    supervisor_tidy(s);
    if (!supervisor_usable(s) && s->pause_s > 0)
        dialogue_pause(&s->config.dialogue, s->retry_ns);
    return supervisor_try(s);
}

const char *supervisor_reason(const struct supervisor *s)
{
    return s->status.reason[0] ? s->status.reason : "the service stops";
}

bool supervisor_vacate(struct supervisor *s)
{
    if (!supervisor_usable(s) || !s->status.context)
        return false;
    retire(s, "made_room");
    return true;
}

bool supervisor_can_count(const struct supervisor *s)
{
    return s->can_count;
}

bool supervisor_exclusive(const struct supervisor *s)
{
    return strcmp(s->status.facts.compute_mode, "exclusive_process") == 0;
}

/* ---- a question ---- */

/* The executor did not survive the question, or is not to survive it. */
static void lose(struct supervisor *s, const char *id, enum dialogue_end end, struct outcome *outcome)
{
    char how[512];
    distrust(s);
    discard(s, end == DIALOGUE_CUT ? 0 : leave_s, how, sizeof how);
    metrics_count(EVENT_RESTART, s->config.device, dialogue_end_why(end, outcome, s->killed), 1);
    bool failed = outcome->end == OUTCOME_FAILED;
    if (end == DIALOGUE_ENDED && failed) {
        error_set(&outcome->failure, ERROR_CRASHED, "the executor ended without an answer: %s", how);
        if (s->killed && !s->stuck)
            outcome->end = OUTCOME_LOST;
    }
    if (failed && outcome->failure.kind != ERROR_CANCELLED)
        s->status.failures++;
    if (s->stuck)
        mark_unhealthy(s, "its executor does not end, not even by SIGKILL");
    publish(s);
    log_warning("%s: executor lost in experiment %s: %s", s->name, id, failed ? outcome->failure.text : how);
}

void supervisor_ask(struct supervisor *s, const struct question *question, struct outcome *outcome)
{
    *outcome = (struct outcome){.end = OUTCOME_UNTOUCHED};
    check_idle(s); /* an answer that came twice must not be taken for the next one's */
    if (!supervisor_usable(s))
        return;
    s->status.runs++;
    s->status.context = true;
    publish(s);
    enum dialogue_end end = dialogue_ask(&s->dialogue, &s->config.dialogue, question, outcome);
    s->used_ns = clock_monotonic_ns();
    if (end != DIALOGUE_GOES_ON)
        lose(s, question->id, end, outcome);
}

/* ---- before there is one ---- */

int supervisor_probe(const struct supervisor_config *config, struct error *error)
{
    struct supervisor *s;
    struct message hello;
    struct error why = {0};
    char how[512];
    int devices = -1;
    if (supervisor_new(&s, config, NULL, error) < 0)
        return -1;
    if (child_start(&s->dialogue.child, s->name, s->argv, s->config.own, error) < 0)
        goto out;
    if (dialogue_hello(&s->dialogue, &s->config.dialogue, &hello, &why) < 0) {
        discard(s, why.kind == ERROR_CRASHED ? leave_s : 0, how, sizeof how);
        error_set(error, why.kind, "%s: %s", why.text, how);
        goto out;
    }
    devices = hello.devices;
    message_free(&hello);
out:
    supervisor_free(s);
    return devices;
}

#include "server/devices/supervisor.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/child.h"
#include "server/devices/dialogue.h"

/* An executor that is asked to leave, or that said it would, gets so long before it is ended. */
static const double leave_s = 2;
static const double pause_first_s = 1, pause_most_s = 30;
/* The known copy, by which a fresh executor shows that the device is in order. */
static const char proof_id[] = "selftest";
static const char proof_request[] =
    "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}";
static const double proof_s = 30;

struct supervisor {
    struct supervisor_config config; /* its texts are ours */
    const char **argv;               /* ended by NULL; the texts are the config's */
    char name[32];
    struct devices *devices;
    struct device_status status;
    struct child *child; /* NULL: none */
    bool stuck;          /* the child was killed and is not gone */
    bool prove;          /* the next executor must show a verified copy before it gets work */
    int64_t used_ns;     /* when the executor last had work */
    double pause_s;      /* the present pause between two tries; 0: all is well */
    int64_t retry_ns;    /* when the next try is due */
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
    s->argv = calloc((size_t)count + 5, sizeof *s->argv);
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
    snprintf(s->name, sizeof s->name, "device %d", config->device);
    if (devices)
        devices_get(devices, config->device, &s->status);
    *out = s;
    return 0;
}

static void publish(struct supervisor *s)
{
    s->status.executor = s->child ? child_pid(s->child) : 0;
    if (s->devices)
        devices_set(s->devices, s->config.device, &s->status);
}

/* ---- the end of an executor ---- */

/* Ends the executor, and tells in *how (may be NULL) how it ended. */
static void discard(struct supervisor *s, double patience_s, char *how, size_t size)
{
    s->stuck = child_end(s->child, patience_s) < 0;
    if (how && s->stuck)
        snprintf(how, size, "it does not end, not even by SIGKILL");
    else if (how)
        child_describe(s->child, how, size);
    s->status.context = s->stuck && s->status.context;
    if (!s->stuck) {
        child_free(s->child);
        s->child = NULL;
    }
    publish(s);
}

void supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    if (s->child)
        discard(s, leave_s, NULL, 0);
    child_free(s->child);
    config_free(s);
    free(s);
}

/* ---- the beginning of one ---- */

/* The device cannot be used; the pause before the next try doubles. Returns -1. */
static int unwell(struct supervisor *s, const char *reason)
{
    s->pause_s = s->pause_s == 0 ? pause_first_s : s->pause_s * 2;
    if (s->pause_s > pause_most_s)
        s->pause_s = pause_most_s;
    s->retry_ns = clock_monotonic_ns() + (int64_t)(s->pause_s * 1e9);
    s->status.healthy = false;
    snprintf(s->status.reason, sizeof s->status.reason, "%s", reason);
    log_error("%s: %s; next try in %g s", s->name, reason, s->pause_s);
    publish(s);
    return -1;
}

/* Ends a fresh executor that is no good and says why. `stopping`: that is no fault of the device's. */
static int reject(struct supervisor *s, const struct error *why, bool stopping, bool ended)
{
    char how[512], reason[sizeof why->text + sizeof how + 2]; /* and ": " */
    discard(s, ended ? leave_s : 0, how, sizeof how);
    if (stopping)
        return -1;
    snprintf(reason, sizeof reason, "%s%s%s", why->text, ended ? ": " : "", ended ? how : "");
    return unwell(s, reason);
}

static int greet(struct supervisor *s)
{
    struct message hello;
    struct error error = {0};
    if (child_start(&s->child, s->name, s->argv, &error) < 0)
        return unwell(s, error.text);
    publish(s);
    if (dialogue_hello(s->child, &s->config, &hello, &error) < 0)
        return reject(s, &error, error.kind == ERROR_UNAVAILABLE, error.kind == ERROR_CRASHED);
    s->status.facts = hello.facts;
    s->status.known = true;
    log_info("%s: %s, executor %ld of build %s", s->name, hello.facts.name, (long)child_pid(s->child),
             hello.build);
    message_free(&hello);
    return 0;
}

static int prove(struct supervisor *s)
{
    struct supervisor_config config = s->config;
    struct outcome outcome;
    struct error why = {0};
    config.grace_s = 0;
    s->status.context = true;
    s->used_ns = clock_monotonic_ns();
    enum dialogue_end end = dialogue_run(s->child, &config, proof_id, proof_request, proof_s, &outcome);
    bool proven = outcome.end == OUTCOME_RESULT && outcome.verified;
    bool stopping = outcome.end == OUTCOME_UNTOUCHED && end == DIALOGUE_CUT;
    if (!proven)
        error_set(&why, ERROR_CRASHED, "a fresh executor failed its test copy%s%s",
                  outcome.failure.text[0] ? ": " : "", outcome.failure.text);
    outcome_free(&outcome);
    return proven ? 0 : reject(s, &why, stopping, end == DIALOGUE_ENDED);
}

static int begin(struct supervisor *s)
{
    if (s->stuck) {
        discard(s, 0, NULL, 0);
        if (s->stuck)
            return unwell(s, "its last executor does not end, not even by SIGKILL");
    }
    if (greet(s) < 0 || (s->prove && prove(s) < 0))
        return -1;
    s->prove = false;
    s->pause_s = 0;
    s->status.healthy = true;
    s->status.reason[0] = '\0';
    publish(s);
    return 0;
}

/* ---- between runs ---- */

/* An executor that waits for work must be silent and alive. */
static void check_idle(struct supervisor *s)
{
    const char *line;
    size_t length;
    char how[512];
    enum child_event event = child_next(s->child, -1, 0, &line, &length);
    if (event == CHILD_QUIET)
        return;
    discard(s, event == CHILD_ENDED ? leave_s : 0, how, sizeof how);
    s->prove = true;
    log_warning("%s: its executor %s without work: %s", s->name,
                event == CHILD_ENDED ? "ended" : "broke the protocol", how);
}

/* An idle device is empty: the context goes with its process. */
static void replace_idle(struct supervisor *s)
{
    if (!s->status.context || clock_monotonic_ns() - s->used_ns < (int64_t)(s->config.idle_s * 1e9))
        return;
    log_info("%s: idle for %g s, its executor is replaced by one without a context", s->name,
             s->config.idle_s);
    discard(s, leave_s, NULL, 0);
}

static void sleep_out_pause(struct supervisor *s)
{
    uint64_t woken;
    for (;;) {
        int64_t left = s->retry_ns - clock_monotonic_ns();
        if (left <= 0 || (s->config.wish && s->config.wish(s->config.wish_arg) == WISH_STOP))
            return;
        struct pollfd polled = {.fd = s->config.wake_fd, .events = POLLIN};
        if (poll(&polled, 1, (int)(left / 1000000) + 1) > 0 &&
            read(s->config.wake_fd, &woken, sizeof woken) < 0)
            return;
    }
}

bool supervisor_usable(const struct supervisor *s)
{
    return s->child && !s->stuck;
}

int supervisor_ready(struct supervisor *s)
{
    if (supervisor_usable(s))
        check_idle(s);
    if (supervisor_usable(s))
        replace_idle(s);
    if (supervisor_usable(s))
        return 0;
    if (s->pause_s > 0) {
        sleep_out_pause(s);
        if (clock_monotonic_ns() < s->retry_ns)
            return -1;
    }
    return begin(s);
}

/* ---- a run ---- */

void supervisor_run(struct supervisor *s, const char *id, const char *request, double timeout_s,
                    struct outcome *outcome)
{
    char how[512];
    s->status.runs++;
    s->status.context = true;
    publish(s);
    enum dialogue_end end = dialogue_run(s->child, &s->config, id, request, timeout_s, outcome);
    s->used_ns = clock_monotonic_ns();
    if (end == DIALOGUE_GOES_ON)
        return;
    s->prove = true;
    discard(s, end == DIALOGUE_CUT ? 0 : leave_s, how, sizeof how);
    bool failed = outcome->end == OUTCOME_FAILED || outcome->end == OUTCOME_DOUBTFUL;
    if (end == DIALOGUE_ENDED && failed)
        error_set(&outcome->failure, ERROR_CRASHED, "the executor ended without an answer: %s", how);
    if (failed && outcome->failure.kind != ERROR_CANCELLED)
        s->status.failures++;
    if (s->stuck)
        unwell(s, "its executor does not end, not even by SIGKILL");
    publish(s);
    log_warning("%s: executor lost in experiment %s%s: %s", s->name, id,
                outcome->end == OUTCOME_DOUBTFUL ? " or one that was counted with it" : "",
                failed ? outcome->failure.text : how);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->result);
    outcome->result = NULL;
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
    if (child_start(&s->child, s->name, s->argv, error) < 0)
        goto out;
    if (dialogue_hello(s->child, &s->config, &hello, &why) < 0) {
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

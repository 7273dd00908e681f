/* What happens to an executor between and after its questions: supervisor.h. */
#include "server/devices/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/executor_start.h"
#include "server/metrics/metrics.h"

/* How long an executor may take to leave after it was asked to, or said it would. */
static const double leave_s = 2;
static const double own_pause_s = 30, pause_s = 300;

/* ---- its command ---- */

static int words_count(const char *const *words)
{
    int count = 0;
    while (words && words[count])
        count++;
    return count;
}

static void argv_free(const char **argv)
{
    for (int i = 0; argv && argv[i]; i++)
        free((char *)argv[i]);
    free((void *)argv);
}

/* A copy of both lists, each ended by NULL (NULL: none), texts too. NULL: no memory. */
static const char **argv_join(const char *const *words, const char *const *options)
{
    int first = words_count(words), count = first + words_count(options);
    const char **argv = calloc((size_t)count + 1, sizeof *argv);
    for (int i = 0; argv && i < count; i++)
        if (!(argv[i] = strdup(i < first ? words[i] : options[i - first]))) {
            argv_free(argv);
            return NULL;
        }
    return argv;
}

static const char **argv_make(const struct supervisor_config *config)
{
    const char *options[8] = {"--device", config->spec};
    int count = 2;
    if (config->lock_dir) {
        options[count++] = "--lock-dir";
        options[count++] = config->lock_dir;
    }
    if (config->counting)
        options[count++] = "--counting";
    return argv_join(config->command, options);
}

int supervisor_new(struct supervisor **out, const struct supervisor_config *config, struct devices *devices,
                   struct error *error)
{
    struct supervisor *s = calloc(1, sizeof *s);
    if (!s || !(s->argv = argv_make(config)) || !(s->why = argv_join(config->why, NULL))) {
        supervisor_free(s);
        return error_set(error, ERROR_MEMORY, "no memory for a supervisor");
    }
    s->config = *config;
    s->devices = devices;
    s->backoff = (struct backoff){.most_s = config->own ? own_pause_s : pause_s, .jitter = !config->own};
    if (config->name)
        snprintf(s->name, sizeof s->name, "%s%s", config->name, config->counting ? ", counting" : "");
    else
        snprintf(s->name, sizeof s->name, "device %d%s", config->device,
                 config->counting ? ", counting" : "");
    if (devices && !config->counting) {
        devices_get(devices, config->device, &s->status);
        s->status.healthy |= config->release && s->status.known; /* it can be started, as far as is known */
    }
    supervisor_state_publish(s);
    *out = s;
    return 0;
}

/* ---- the end of an executor ---- */

static void end_executor(struct supervisor *s, const char *why)
{
    supervisor_state_discard(s, leave_s, NULL, 0);
    metrics_count(EVENT_RESTART, s->config.device, why, 1);
    backoff_works(&s->backoff, s->name);
}

void supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    if (s->session.child)
        supervisor_state_discard(s, leave_s, NULL, 0);
    child_free(s->session.child);
    executor_start_look_end(&s->start_wait);
    argv_free(s->argv);
    argv_free(s->why);
    free(s);
}

/* ---- between questions ---- */

/* The device may be at fault: the next executor that times passes a self-test. */
static void distrust(struct supervisor *s)
{
    s->test_due = !s->config.counting && (s->config.own || s->crashed);
}

/* An executor without a question sends beats and nothing else. */
static void check_idle(struct supervisor *s)
{
    char how[512], reason[sizeof how + 64];
    enum executor_session_end end = executor_session_listen(&s->session);
    if (end == SESSION_GOES_ON)
        return;
    bool ends = end == SESSION_ENDED || end == SESSION_LEAVING;
    struct executor_session session = s->session;
    supervisor_state_discard(s, ends ? leave_s : 0, how, sizeof how);
    if (end == SESSION_LEAVING)
        snprintf(reason, sizeof reason, "its executor left without work: %s", session.why);
    else if (end == SESSION_LOST)
        snprintf(reason, sizeof reason, "nothing was heard of its executor for %g s", session.lease.lost_s);
    else
        snprintf(reason, sizeof reason, "its executor %s without work: %s",
                 ends ? "ended" : "broke the protocol", how);
    metrics_count(EVENT_RESTART, s->config.device,
                  end == SESSION_LEAVING        ? "left"
                  : end == SESSION_LOST         ? "lost"
                  : end == SESSION_CUT          ? "protocol"
                  : s->killed                   ? "killed"
                  : s->crashed || s->config.own ? "crashed"
                                                : "lost",
                  1);
    if (end != SESSION_LEAVING)
        distrust(s);
    if (s->config.own)
        log_warning("%s: %s", s->name, reason);
    else
        supervisor_state_unhealthy(s, reason);
}

/* An idle device holds no context, and with `release` no process: both end with the executor. */
static void end_idle(struct supervisor *s)
{
    bool release = s->config.release;
    int64_t last_ns = s->used_ns > s->hello_ns ? s->used_ns : s->hello_ns;
    if ((!s->status.context && !release) || !clock_passed(last_ns, s->config.idle_s) ||
        (release && !clock_passed(s->hello_ns, s->config.hold_s)))
        return;
    log_line(release ? LOG_DEBUG : LOG_INFO, "%s: idle for %g s, its executor is ended", s->name,
             s->config.idle_s);
    end_executor(s, "idle");
}

bool supervisor_usable(const struct supervisor *s)
{
    return s->session.child && !s->stuck;
}

void supervisor_tidy(struct supervisor *s)
{
    if (supervisor_usable(s))
        check_idle(s);
    if (supervisor_usable(s))
        end_idle(s);
}

void supervisor_tend(struct supervisor *s)
{
    if (!s->busy && supervisor_usable(s))
        check_idle(s);
}

void supervisor_rest(struct supervisor *s)
{
    supervisor_tidy(s);
    if (!s->resting)
        return;
    executor_session_pause(&s->config.session, s->backoff.until_ns);
    if (backoff_lasts(&s->backoff))
        return;
    if (s->stuck)
        supervisor_state_discard(s, 0, NULL, 0);
    if (s->stuck)
        return;
    s->resting = false;
    supervisor_state_publish(s);
}

int supervisor_try(struct supervisor *s)
{
    supervisor_tidy(s);
    if (supervisor_usable(s))
        return 0;
    return backoff_lasts(&s->backoff) ? -1 : executor_start(s);
}

int supervisor_ready(struct supervisor *s)
{
    supervisor_rest(s);
    return supervisor_try(s);
}

bool supervisor_outlive(struct supervisor *s)
{
    if (s->over_ns)
        executor_session_pause(&s->config.session, s->over_ns);
    return clock_monotonic_ns() >= s->over_ns;
}

bool supervisor_known(const struct supervisor *s)
{
    return s->status.known;
}

const char *supervisor_reason(const struct supervisor *s)
{
    return s->status.reason[0] ? s->status.reason : "the service stops";
}

bool supervisor_vacate(struct supervisor *s)
{
    if (!supervisor_usable(s) || (!s->status.context && !s->config.release))
        return false;
    end_executor(s, "made_room");
    return true;
}

int64_t supervisor_process(const struct supervisor *s)
{
    return supervisor_state_process(s);
}

const char *supervisor_uuid(const struct supervisor *s)
{
    return s->status.facts.uuid;
}

void supervisor_refuse(struct supervisor *s, const char *why)
{
    if (supervisor_usable(s))
        supervisor_state_discard(s, leave_s, NULL, 0);
    supervisor_state_unhealthy(s, why);
}

bool supervisor_leased(const struct supervisor *s)
{
    return s->session.child ? s->session.lease.lost_s > 0 : s->config.session.heartbeat_s > 0;
}

bool supervisor_can_count(const struct supervisor *s)
{
    return s->status.can_count;
}

bool supervisor_exclusive(const struct supervisor *s)
{
    return strcmp(s->status.facts.compute_mode, "exclusive_process") == 0;
}

/* ---- a question ---- */

/* Where the end of the executor itself is not seen, an end without an answer means that the connection broke,
   unless the status is that of a crash. */
static void lost_decide(struct supervisor *s, const struct executor_session *session,
                        enum executor_session_end end, const char *how, struct executor_outcome *outcome)
{
    if (end == SESSION_ENDED && outcome->end == OUTCOME_FAILED) {
        error_set(&outcome->failure, ERROR_CRASHED, "the executor ended without an answer: %s", how);
        if (!s->stuck && (s->killed || session->leaving || (!s->config.own && !s->crashed)))
            outcome->end = OUTCOME_LOST;
    }
    if (outcome->end == OUTCOME_LOST && !s->config.own && !session->done)
        s->over_ns = executor_lease_over_ns(&session->lease);
}

/* Why the executor ended after an exchange, as EVENT_RESTART of metrics.h takes it. `killed`: by another
   process. */
static const char *restart_reason(enum executor_session_end end, const struct executor_outcome *outcome,
                                  bool killed)
{
    if (end == SESSION_LOST || (end == SESSION_ENDED && outcome->end == OUTCOME_LOST && !killed))
        return "lost";
    if (end == SESSION_ENDED)
        return killed ? "killed" : "crashed";
    if (end == SESSION_LEAVING)
        return outcome->failure.kind == ERROR_CUDA || outcome->failure.kind == ERROR_DEVICE_LOST
                   ? "device_error"
                   : "left";
    if (outcome->end == OUTCOME_UNTOUCHED)
        return "stopped";
    bool ours = outcome->failure.kind == ERROR_TIMED_OUT || outcome->failure.kind == ERROR_CANCELLED;
    return outcome->end == OUTCOME_FAILED && ours ? error_kind_name(outcome->failure.kind) : "protocol";
}

/* Ends the executor after a question that it did not survive, or must not survive. */
static void end_after_question(struct supervisor *s, const char *id, enum executor_session_end end,
                               struct executor_outcome *outcome)
{
    char how[512];
    struct executor_session session = s->session;
    supervisor_state_discard(s, end == SESSION_CUT || end == SESSION_LOST ? 0 : leave_s, how, sizeof how);
    if (!session.leaving)
        distrust(s);
    lost_decide(s, &session, end, how, outcome);
    metrics_count(EVENT_RESTART, s->config.device, restart_reason(end, outcome, s->killed), 1);
    bool failed = outcome->end == OUTCOME_FAILED || outcome->end == OUTCOME_LOST;
    if (failed && outcome->failure.kind != ERROR_CANCELLED)
        s->status.failures++;
    char left[sizeof session.why + 32];
    snprintf(left, sizeof left, "its executor left: %s", session.why);
    const char *reason = session.leaving ? left : failed ? outcome->failure.text : how;
    if (!session.leaving || outcome->end != OUTCOME_RESULT)
        log_warning("%s: executor lost in experiment %s: %s", s->name, id, reason);
    if (s->stuck)
        supervisor_state_unhealthy(s, "its executor does not end, not even by SIGKILL");
    else if (!s->config.own &&
             (outcome->end == OUTCOME_LOST || session.leaving || (end == SESSION_ENDED && !failed)))
        supervisor_state_unhealthy(s, reason);
    supervisor_state_publish(s);
}

void supervisor_ask(struct supervisor *s, const struct executor_question *question,
                    struct executor_outcome *outcome)
{
    *outcome = (struct executor_outcome){.end = OUTCOME_UNTOUCHED};
    check_idle(s); /* a second answer must not be taken for that of the next question */
    if (!supervisor_usable(s))
        return;
    s->status.runs++;
    s->status.context = true;
    s->over_ns = 0;
    s->busy = true;
    supervisor_state_publish(s);
    enum executor_session_end end = executor_question_ask(&s->session, &s->config.session, question, outcome);
    s->busy = false;
    s->used_ns = clock_monotonic_ns();
    if (outcome->end == OUTCOME_RESULT || end == SESSION_GOES_ON)
        backoff_works(&s->backoff, s->name);
    if (end != SESSION_GOES_ON)
        end_after_question(s, question->id, end, outcome);
}

/* ---- the probe ---- */

int supervisor_probe(const struct supervisor_config *config, struct error *error)
{
    struct supervisor *s;
    struct message hello;
    struct error why = {0};
    char how[512];
    int devices = -1;
    if (supervisor_new(&s, config, NULL, error) < 0)
        return -1;
    if (child_start(&s->session.child, s->name, s->argv, s->config.own, error) < 0)
        goto out;
    if (executor_session_hello(&s->session, &s->config.session, &hello, &why) < 0) {
        supervisor_state_discard(s, why.kind == ERROR_CRASHED ? leave_s : 0, how, sizeof how);
        error_set(error, why.kind, "%s: %s", why.text, how);
        goto out;
    }
    devices = hello.devices;
    protocol_message_free(&hello);
out:
    supervisor_free(s);
    return devices;
}

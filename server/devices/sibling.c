#include "server/devices/sibling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counters_text.h"
#include "base/log.h"

/* KEPT_MOST: two groups, so that one that is interrupted by another sweep's is not lost. TRIES: together, then alone; and
   each once more because the executor was gone, or the memory had to be made free. */
enum { KEPT_MOST = 2 * PROTOCOL_POINTS, TRIES = 4 };

/* An experiment waits for it: counts that need an allocation of their own for long are not worth that. */
static const double start_most_s = 30;

struct kept {
    char id[64];
    char *counters; /* NULL: a count of it and others failed, so it is counted alone */
    char uuid[64];  /* of the device that they are of; empty: they only say why there are none */
};

struct sibling {
    struct sibling_config config; /* its texts are the supervisor's */
    struct supervisor *executor;
    int kept; /* the oldest first, which make room */
    struct kept at[KEPT_MOST];
};

int sibling_new(struct sibling **out, const struct sibling_config *config, struct devices *devices,
                struct error *error)
{
    struct sibling *sibling = calloc(1, sizeof *sibling);
    if (!sibling)
        return error_set(error, ERROR_MEMORY, "no memory for an executor that counts");
    struct supervisor_config supervisor = config->supervisor;
    supervisor.counting = true;
    supervisor.dialogue.grace_s = 0; /* what is counted has not begun to run */
    supervisor.dialogue.hello = NULL;
    if (supervisor.dialogue.hello_s > start_most_s)
        supervisor.dialogue.hello_s = start_most_s;
    supervisor.readiness = NULL;
    supervisor.hold_s = 0; /* what is held for the next experiment is the other one's */
    sibling->config = *config;
    if (supervisor_new(&sibling->executor, &supervisor, devices, error) < 0) {
        free(sibling);
        return -1;
    }
    *out = sibling;
    return 0;
}

/* ---- what is kept ---- */

static struct kept *kept_find(struct sibling *sibling, const char *id)
{
    for (int i = 0; i < sibling->kept; i++)
        if (strcmp(sibling->at[i].id, id) == 0)
            return &sibling->at[i];
    return NULL;
}

void sibling_forget(struct sibling *sibling, const char *id)
{
    struct kept *kept = kept_find(sibling, id);
    if (!kept)
        return;
    struct kept *end = sibling->at + sibling->kept--;
    free(kept->counters);
    memmove(kept, kept + 1, (size_t)(end - kept - 1) * sizeof *kept);
}

/* Takes over the text, which may be NULL. */
static void keep(struct sibling *sibling, const char *id, char *counters, const char *uuid)
{
    char own[sizeof sibling->at[0].id];
    snprintf(own, sizeof own, "%s", id);
    sibling_forget(sibling, own);
    if (sibling->kept == KEPT_MOST)
        sibling_forget(sibling, sibling->at[0].id);
    struct kept *kept = &sibling->at[sibling->kept++];
    memcpy(kept->id, own, sizeof own);
    kept->counters = counters;
    snprintf(kept->uuid, sizeof kept->uuid, "%s", uuid);
}

void sibling_free(struct sibling *sibling)
{
    if (!sibling)
        return;
    supervisor_free(sibling->executor);
    while (sibling->kept)
        sibling_forget(sibling, sibling->at[0].id);
    free(sibling);
}

/* ---- a count ---- */

/* The experiment, and unless `alone` those that run next and are not known yet. -1: no memory. */
static int group_make(struct sibling *sibling, const char *id, const char *request, bool alone,
                      struct ahead *group)
{
    struct ahead next = {0};
    *group = (struct ahead){0};
    snprintf(group->at[0].id, sizeof group->at[0].id, "%s", id);
    group->at[0].request = strdup(request);
    if (!group->at[0].request)
        return -1;
    group->count = 1;
    if (!alone && sibling->config.look_ahead)
        sibling->config.look_ahead(sibling->config.look_ahead_arg, &next);
    for (int i = 0; i < next.count && group->count < PROTOCOL_POINTS; i++)
        if (!kept_find(sibling, next.at[i].id)) {
            group->at[group->count++] = next.at[i];
            next.at[i].request = NULL;
        }
    ahead_free(&next);
    return 0;
}

/* An executor that counts the device of the one that times. */
static int ready(struct sibling *sibling, const struct supervisor *timing, struct error *error)
{
    const char *uuid = supervisor_uuid(timing);
    char why[256];
    if (supervisor_try(sibling->executor) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "there is no executor that counts: %s",
                         supervisor_reason(sibling->executor));
    if (strcmp(supervisor_uuid(sibling->executor), uuid) == 0)
        return 0;
    snprintf(why, sizeof why, "the executor that counts got another device, %s, than the one that times, %s",
             supervisor_uuid(sibling->executor), uuid);
    supervisor_refuse(sibling->executor, why);
    return error_set(error, ERROR_UNAVAILABLE, "%s", why);
}

static void ask(struct sibling *sibling, const struct supervisor *timing, const struct ahead *group,
                double timeout_s, struct outcome *outcome)
{
    double limit_s = sibling->config.count_s + timeout_s;
    char *line = message_count(group, sibling->config.supervisor.device, limit_s);
    const struct question question = {MESSAGE_COUNTS, group->at[0].id, line, limit_s, false};
    *outcome = (struct outcome){.end = OUTCOME_FAILED};
    if (ready(sibling, timing, &outcome->failure) == 0)
        supervisor_ask(sibling->executor, &question, outcome);
    if (outcome->end == OUTCOME_LOST)
        supervisor_outlive(sibling->executor); /* nothing is timed beside it */
    free(line);
}

/* Takes over what was counted of the group; what was not asked for is left to outcome_free(). True: some of it was not
   counted for want of memory. */
static bool take(struct sibling *sibling, const struct ahead *group, struct outcome *outcome)
{
    bool no_room = false;
    for (int i = 0; i < outcome->counts.count; i++)
        for (int k = 0; k < group->count; k++)
            if (strcmp(outcome->counts.at[i].id, group->at[k].id) == 0) {
                keep(sibling, group->at[k].id, outcome->counts.at[i].counters,
                     supervisor_uuid(sibling->executor));
                outcome->counts.at[i].counters = NULL;
                no_room |= outcome->counts.at[i].no_room;
                break;
            }
    return no_room;
}

static bool has_counters(struct sibling *sibling, const char *id)
{
    const struct kept *kept = kept_find(sibling, id);
    return kept && kept->counters;
}

/* Whoever was at fault is found out when they are counted one by one. */
static void part(struct sibling *sibling, const struct ahead *group, const struct error *failure)
{
    log_info("%d experiments that were counted together are counted one by one: %s", group->count,
             failure->text);
    for (int i = 0; i < group->count; i++)
        keep(sibling, group->at[i].id, NULL, "");
}

/* One try. `again`: another one may do better. */
static enum sibling_end attempt(struct sibling *sibling, struct supervisor *timing, const struct ahead *group,
                                double timeout_s, bool *again)
{
    const char *id = group->at[0].id;
    struct outcome outcome;
    enum sibling_end end = SIBLING_COUNTED;
    *again = false;
    if (supervisor_exclusive(timing))
        supervisor_vacate(timing);
    ask(sibling, timing, group, timeout_s, &outcome);
    bool no_room = outcome.end == OUTCOME_RESULT && take(sibling, group, &outcome);
    if (outcome.end == OUTCOME_RESULT && !has_counters(sibling, id)) {
        outcome.end = OUTCOME_FAILED;
        error_set(&outcome.failure, ERROR_CRASHED, "the executor left out what it was asked for");
    }
    const struct dialogue_config *config = &sibling->config.supervisor.dialogue;
    enum interrupt interrupt = config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
    if (outcome.end == OUTCOME_RESULT) {
        *again = no_room && supervisor_vacate(timing);
        if (*again)
            sibling_forget(sibling, id);
    } else if (interrupt == INTERRUPT_STOP) {
        end = SIBLING_STOPPED;
    } else if (interrupt == INTERRUPT_CANCEL || outcome.failure.kind == ERROR_CANCELLED) {
        end = SIBLING_CANCELLED;
    } else if (outcome.end == OUTCOME_UNTOUCHED) {
        *again = true; /* it was gone before it had the question */
    } else if (group->count > 1 && outcome.failure.kind != ERROR_UNAVAILABLE) {
        part(sibling, group, &outcome.failure);
        *again = true;
    } else {
        keep(sibling, id, counters_lost_to_text(outcome.failure.text), "");
    }
    outcome_free(&outcome);
    return end;
}

enum sibling_end sibling_count(struct sibling *sibling, struct supervisor *timing, const char *id,
                               const char *request, double timeout_s, const char **counters)
{
    enum sibling_end end = SIBLING_COUNTED;
    bool again = !has_counters(sibling, id);
    *counters = NULL;
    for (int tries = 0; again && tries < TRIES; tries++) {
        struct ahead group;
        bool alone = kept_find(sibling, id) != NULL;
        if (group_make(sibling, id, request, alone, &group) < 0)
            break;
        end = attempt(sibling, timing, &group, timeout_s, &again);
        ahead_free(&group);
    }
    if (end == SIBLING_COUNTED && !has_counters(sibling, id))
        keep(sibling, id,
             counters_lost_to_text("the executor that counts was gone each time that it was asked"), "");
    const struct kept *kept = kept_find(sibling, id);
    if (kept && kept->uuid[0] && strcmp(kept->uuid, supervisor_uuid(timing)) != 0) {
        keep(sibling, id, counters_lost_to_text("it was counted on another device than it is timed on"), "");
        kept = kept_find(sibling, id);
    }
    if (end == SIBLING_COUNTED && kept)
        *counters = kept->counters;
    return end;
}

enum sibling_end sibling_decline(struct sibling *sibling, const char *id, const char **counters)
{
    struct counters none;
    counters_unavailable(&none, "say \"counting\": true in the device's entry in the file of devices",
                         "counts need a second executor, which may cost an allocation of its own");
    keep(sibling, id, counters_to_text(&none), "");
    const struct kept *kept = kept_find(sibling, id);
    *counters = kept ? kept->counters : NULL;
    return SIBLING_COUNTED;
}

/* ---- the executor ---- */

void sibling_tend(struct sibling *sibling)
{
    supervisor_tend(sibling->executor);
}

void sibling_tidy(struct sibling *sibling)
{
    supervisor_tidy(sibling->executor);
}

bool sibling_vacate(struct sibling *sibling)
{
    return supervisor_vacate(sibling->executor);
}

int64_t sibling_process(const struct sibling *sibling)
{
    return supervisor_process(sibling->executor);
}

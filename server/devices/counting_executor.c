#include "server/devices/counting_executor.h"

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

struct cached_counts {
    char id[64];
    char *counters; /* NULL: a count of it and others failed, so it is counted alone */
    char uuid[64];  /* of the device that they are of; empty: they only say why there are none */
};

struct counting_executor {
    struct counting_executor_config config; /* its texts are the supervisor's */
    struct supervisor *executor;
    int kept; /* the oldest first, which make room */
    struct cached_counts at[KEPT_MOST];
};

int counting_executor_new(struct counting_executor **out, const struct counting_executor_config *config,
                          struct devices *devices, struct error *error)
{
    struct counting_executor *counting_executor = calloc(1, sizeof *counting_executor);
    if (!counting_executor)
        return error_set(error, ERROR_MEMORY, "no memory for an executor that counts");
    struct supervisor_config supervisor = config->supervisor;
    supervisor.counting = true;
    supervisor.executor_session.grace_s = 0; /* what is counted has not begun to run */
    supervisor.executor_session.hello = NULL;
    if (supervisor.executor_session.hello_s > start_most_s)
        supervisor.executor_session.hello_s = start_most_s;
    supervisor.readiness = NULL;
    supervisor.hold_s = 0; /* what is held for the next experiment is the other one's */
    counting_executor->config = *config;
    if (supervisor_new(&counting_executor->executor, &supervisor, devices, error) < 0) {
        free(counting_executor);
        return -1;
    }
    *out = counting_executor;
    return 0;
}

/* ---- what is kept ---- */

static struct cached_counts *cached_counts_find(struct counting_executor *counting_executor, const char *id)
{
    for (int i = 0; i < counting_executor->kept; i++)
        if (strcmp(counting_executor->at[i].id, id) == 0)
            return &counting_executor->at[i];
    return NULL;
}

void counting_executor_forget(struct counting_executor *counting_executor, const char *id)
{
    struct cached_counts *kept = cached_counts_find(counting_executor, id);
    if (!kept)
        return;
    struct cached_counts *end = counting_executor->at + counting_executor->kept--;
    free(kept->counters);
    memmove(kept, kept + 1, (size_t)(end - kept - 1) * sizeof *kept);
}

/* Takes over the text, which may be NULL. */
static void keep(struct counting_executor *counting_executor, const char *id, char *counters,
                 const char *uuid)
{
    char own[sizeof counting_executor->at[0].id];
    snprintf(own, sizeof own, "%s", id);
    counting_executor_forget(counting_executor, own);
    if (counting_executor->kept == KEPT_MOST)
        counting_executor_forget(counting_executor, counting_executor->at[0].id);
    struct cached_counts *kept = &counting_executor->at[counting_executor->kept++];
    memcpy(kept->id, own, sizeof own);
    kept->counters = counters;
    snprintf(kept->uuid, sizeof kept->uuid, "%s", uuid);
}

void counting_executor_free(struct counting_executor *counting_executor)
{
    if (!counting_executor)
        return;
    supervisor_free(counting_executor->executor);
    while (counting_executor->kept)
        counting_executor_forget(counting_executor, counting_executor->at[0].id);
    free(counting_executor);
}

/* ---- a count ---- */

/* The experiment, and unless `alone` those that run next and are not known yet. -1: no memory. */
static int group_make(struct counting_executor *counting_executor, const char *id, const char *request,
                      bool alone, struct ahead *group)
{
    struct ahead next = {0};
    *group = (struct ahead){0};
    snprintf(group->at[0].id, sizeof group->at[0].id, "%s", id);
    group->at[0].request = strdup(request);
    if (!group->at[0].request)
        return -1;
    group->count = 1;
    if (!alone && counting_executor->config.look_ahead)
        counting_executor->config.look_ahead(counting_executor->config.look_ahead_arg, &next);
    for (int i = 0; i < next.count && group->count < PROTOCOL_POINTS; i++)
        if (!cached_counts_find(counting_executor, next.at[i].id)) {
            group->at[group->count++] = next.at[i];
            next.at[i].request = NULL;
        }
    protocol_ahead_free(&next);
    return 0;
}

/* An executor that counts the device of the one that times. */
static int ready(struct counting_executor *counting_executor, const struct supervisor *timing,
                 struct error *error)
{
    const char *uuid = supervisor_uuid(timing);
    char why[256];
    if (supervisor_try(counting_executor->executor) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "there is no executor that counts: %s",
                         supervisor_reason(counting_executor->executor));
    if (strcmp(supervisor_uuid(counting_executor->executor), uuid) == 0)
        return 0;
    snprintf(why, sizeof why, "the executor that counts got another device, %s, than the one that times, %s",
             supervisor_uuid(counting_executor->executor), uuid);
    supervisor_refuse(counting_executor->executor, why);
    return error_set(error, ERROR_UNAVAILABLE, "%s", why);
}

static void ask(struct counting_executor *counting_executor, const struct supervisor *timing,
                const struct ahead *group, double timeout_s, struct executor_outcome *outcome)
{
    double limit_s = counting_executor->config.count_s + timeout_s;
    struct buffer frame = protocol_write_count(group, counting_executor->config.supervisor.device, limit_s);
    const struct executor_question question = {MESSAGE_COUNTS, group->at[0].id, &frame, limit_s, false};
    *outcome = (struct executor_outcome){.end = OUTCOME_FAILED};
    if (ready(counting_executor, timing, &outcome->failure) == 0)
        supervisor_ask(counting_executor->executor, &question, outcome);
    if (outcome->end == OUTCOME_LOST)
        supervisor_outlive(counting_executor->executor); /* nothing is timed beside it */
    buffer_free(&frame);
}

/* Takes over what was counted of the group; what was not asked for is left to executor_outcome_free(). True: some of it was not
   counted for want of memory. */
static bool take(struct counting_executor *counting_executor, const struct ahead *group,
                 struct executor_outcome *outcome)
{
    bool no_room = false;
    for (int i = 0; i < outcome->counts.count; i++)
        for (int k = 0; k < group->count; k++)
            if (strcmp(outcome->counts.at[i].id, group->at[k].id) == 0) {
                keep(counting_executor, group->at[k].id, outcome->counts.at[i].counters,
                     supervisor_uuid(counting_executor->executor));
                outcome->counts.at[i].counters = NULL;
                no_room |= outcome->counts.at[i].no_room;
                break;
            }
    return no_room;
}

static bool has_counters(struct counting_executor *counting_executor, const char *id)
{
    const struct cached_counts *kept = cached_counts_find(counting_executor, id);
    return kept && kept->counters;
}

/* Whoever was at fault is found out when they are counted one by one. */
static void part(struct counting_executor *counting_executor, const struct ahead *group,
                 const struct error *failure)
{
    log_info("%d experiments that were counted together are counted one by one: %s", group->count,
             failure->text);
    for (int i = 0; i < group->count; i++)
        keep(counting_executor, group->at[i].id, NULL, "");
}

/* One try. `again`: another one may do better. */
static enum counting_executor_end attempt(struct counting_executor *counting_executor,
                                          struct supervisor *timing, const struct ahead *group,
                                          double timeout_s, bool *again)
{
    const char *id = group->at[0].id;
    struct executor_outcome outcome;
    enum counting_executor_end end = COUNTING_DONE;
    *again = false;
    if (supervisor_exclusive(timing))
        supervisor_vacate(timing);
    ask(counting_executor, timing, group, timeout_s, &outcome);
    bool no_room = outcome.end == OUTCOME_RESULT && take(counting_executor, group, &outcome);
    if (outcome.end == OUTCOME_RESULT && !has_counters(counting_executor, id)) {
        outcome.end = OUTCOME_FAILED;
        error_set(&outcome.failure, ERROR_CRASHED, "the executor left out what it was asked for");
    }
    const struct executor_session_config *config = &counting_executor->config.supervisor.executor_session;
    enum interrupt interrupt = config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
    if (outcome.end == OUTCOME_RESULT) {
        *again = no_room && supervisor_vacate(timing);
        if (*again)
            counting_executor_forget(counting_executor, id);
    } else if (interrupt == INTERRUPT_STOP) {
        end = COUNTING_STOPPED;
    } else if (interrupt == INTERRUPT_CANCEL || outcome.failure.kind == ERROR_CANCELLED) {
        end = COUNTING_CANCELLED;
    } else if (outcome.end == OUTCOME_UNTOUCHED) {
        *again = true; /* it was gone before it had the question */
    } else if (group->count > 1 && outcome.failure.kind != ERROR_UNAVAILABLE) {
        part(counting_executor, group, &outcome.failure);
        *again = true;
    } else {
        keep(counting_executor, id, counters_lost_to_text(outcome.failure.text), "");
    }
    executor_outcome_free(&outcome);
    return end;
}

enum counting_executor_end counting_executor_count(struct counting_executor *counting_executor,
                                                   struct supervisor *timing, const char *id,
                                                   const char *request, double timeout_s,
                                                   const char **counters)
{
    enum counting_executor_end end = COUNTING_DONE;
    bool again = !has_counters(counting_executor, id);
    *counters = NULL;
    for (int tries = 0; again && tries < TRIES; tries++) {
        struct ahead group;
        bool alone = cached_counts_find(counting_executor, id) != NULL;
        if (group_make(counting_executor, id, request, alone, &group) < 0)
            break;
        end = attempt(counting_executor, timing, &group, timeout_s, &again);
        protocol_ahead_free(&group);
    }
    if (end == COUNTING_DONE && !has_counters(counting_executor, id))
        keep(counting_executor, id,
             counters_lost_to_text("the executor that counts was gone each time that it was asked"), "");
    const struct cached_counts *kept = cached_counts_find(counting_executor, id);
    if (kept && kept->uuid[0] && strcmp(kept->uuid, supervisor_uuid(timing)) != 0) {
        keep(counting_executor, id,
             counters_lost_to_text("it was counted on another device than it is timed on"), "");
        kept = cached_counts_find(counting_executor, id);
    }
    if (end == COUNTING_DONE && kept)
        *counters = kept->counters;
    return end;
}

enum counting_executor_end counting_executor_decline(struct counting_executor *counting_executor,
                                                     const char *id, const char **counters)
{
    struct counters none;
    counters_unavailable(&none, "say \"counting\": true in the device's entry in the file of devices",
                         "counts need a second executor, which may cost an allocation of its own");
    keep(counting_executor, id, counters_to_text(&none), "");
    const struct cached_counts *kept = cached_counts_find(counting_executor, id);
    *counters = kept ? kept->counters : NULL;
    return COUNTING_DONE;
}

/* ---- the executor ---- */

void counting_executor_tend(struct counting_executor *counting_executor)
{
    supervisor_tend(counting_executor->executor);
}

void counting_executor_tidy(struct counting_executor *counting_executor)
{
    supervisor_tidy(counting_executor->executor);
}

bool counting_executor_vacate(struct counting_executor *counting_executor)
{
    return supervisor_vacate(counting_executor->executor);
}

int64_t counting_executor_process(const struct counting_executor *counting_executor)
{
    return supervisor_process(counting_executor->executor);
}

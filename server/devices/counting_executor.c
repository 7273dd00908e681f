/* Groups, tries and the cache of counts: counting_executor.h. */
#include "server/devices/counting_executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counters_json.h"
#include "base/log.h"

enum {
    /* Two groups, so that another sweep's group does not push out the first. */
    CACHED_MAX = 2 * PROTOCOL_POINTS,
    /* Together, then alone; each once more where the executor was gone, or memory had to be freed. */
    TRIES = 4,
};

/* The experiment waits for the start: counts are not worth a long wait for an allocation. */
static const double start_max_s = 30;

struct cached_counts {
    char id[64];
    char *counters; /* NULL: a count together with others failed, so it is counted alone */
    char uuid[64];  /* of the device that was counted; empty: the text says why there are no counts */
};

struct counting_executor {
    struct counting_executor_config config; /* its texts are not copied, and not used */
    struct supervisor *executor;
    int cached; /* entries, the oldest first: a new one drops the oldest */
    struct cached_counts at[CACHED_MAX];
};

int counting_executor_new(struct counting_executor **out, const struct counting_executor_config *config,
                          struct devices *devices, struct error *error)
{
    struct counting_executor *counter = calloc(1, sizeof *counter);
    if (!counter)
        return error_set(error, ERROR_MEMORY, "no memory for an executor that counts");
    struct supervisor_config supervisor = config->supervisor;
    supervisor.counting = true;
    supervisor.session.grace_s = 0; /* the experiment has not begun to run */
    supervisor.session.hello = NULL;
    if (supervisor.session.hello_s > start_max_s)
        supervisor.session.hello_s = start_max_s;
    supervisor.readiness = NULL;
    supervisor.hold_s = 0; /* hold_s is for the executor that times */
    counter->config = *config;
    if (supervisor_new(&counter->executor, &supervisor, devices, error) < 0) {
        free(counter);
        return -1;
    }
    *out = counter;
    return 0;
}

/* ---- the cache ---- */

static struct cached_counts *cached_counts_find(struct counting_executor *counter, const char *id)
{
    for (int i = 0; i < counter->cached; i++)
        if (strcmp(counter->at[i].id, id) == 0)
            return &counter->at[i];
    return NULL;
}

void counting_executor_forget(struct counting_executor *counter, const char *id)
{
    struct cached_counts *found = cached_counts_find(counter, id);
    if (!found)
        return;
    struct cached_counts *end = counter->at + counter->cached--;
    free(found->counters);
    memmove(found, found + 1, (size_t)(end - found - 1) * sizeof *found);
}

/* Takes over the text, which may be NULL. */
static void cache(struct counting_executor *counter, const char *id, char *counters, const char *uuid)
{
    char own[sizeof counter->at[0].id];
    snprintf(own, sizeof own, "%s", id);
    counting_executor_forget(counter, own);
    if (counter->cached == CACHED_MAX)
        counting_executor_forget(counter, counter->at[0].id);
    struct cached_counts *found = &counter->at[counter->cached++];
    memcpy(found->id, own, sizeof own);
    found->counters = counters;
    snprintf(found->uuid, sizeof found->uuid, "%s", uuid);
}

void counting_executor_free(struct counting_executor *counter)
{
    if (!counter)
        return;
    supervisor_free(counter->executor);
    while (counter->cached)
        counting_executor_forget(counter, counter->at[0].id);
    free(counter);
}

/* ---- a count ---- */

/* The experiment, and unless `alone` those that run next and are not cached. -1: no memory. */
static int group_make(struct counting_executor *counter, const char *id, const char *request, bool alone,
                      struct ahead *group)
{
    struct ahead next = {0};
    *group = (struct ahead){0};
    snprintf(group->at[0].id, sizeof group->at[0].id, "%s", id);
    group->at[0].request = strdup(request);
    if (!group->at[0].request)
        return -1;
    group->count = 1;
    if (!alone && counter->config.look_ahead)
        counter->config.look_ahead(counter->config.look_ahead_arg, &next);
    for (int i = 0; i < next.count && group->count < PROTOCOL_POINTS; i++)
        if (!cached_counts_find(counter, next.at[i].id)) {
            group->at[group->count++] = next.at[i];
            next.at[i].request = NULL;
        }
    protocol_ahead_free(&next);
    return 0;
}

/* Makes sure that the executor counts the same device as `timing` times. */
static int ready(struct counting_executor *counter, const struct supervisor *timing, struct error *error)
{
    const char *uuid = supervisor_uuid(timing);
    char why[256];
    if (supervisor_try(counter->executor) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "there is no executor that counts: %s",
                         supervisor_reason(counter->executor));
    if (strcmp(supervisor_uuid(counter->executor), uuid) == 0)
        return 0;
    snprintf(why, sizeof why, "the executor that counts got another device, %s, than the one that times, %s",
             supervisor_uuid(counter->executor), uuid);
    supervisor_refuse(counter->executor, why);
    return error_set(error, ERROR_UNAVAILABLE, "%s", why);
}

static void ask(struct counting_executor *counter, const struct supervisor *timing, const struct ahead *group,
                double timeout_s, struct executor_outcome *outcome)
{
    double limit_s = counter->config.count_s + timeout_s;
    struct buffer frame = protocol_write_count(group, counter->config.supervisor.device, limit_s);
    const struct executor_question question = {MESSAGE_COUNTS, group->at[0].id, &frame, limit_s, false};
    *outcome = (struct executor_outcome){.end = OUTCOME_FAILED};
    if (ready(counter, timing, &outcome->failure) == 0)
        supervisor_ask(counter->executor, &question, outcome);
    if (outcome->end == OUTCOME_LOST)
        supervisor_outlive(counter->executor); /* nothing may be timed while it may still count */
    buffer_free(&frame);
}

/* Takes over what was counted of the group; what was not asked for is left to
   executor_question_free_outcome(). True: some of it was not counted for want of memory. */
static bool take(struct counting_executor *counter, const struct ahead *group,
                 struct executor_outcome *outcome)
{
    bool no_room = false;
    for (int i = 0; i < outcome->counts.count; i++)
        for (int k = 0; k < group->count; k++)
            if (strcmp(outcome->counts.at[i].id, group->at[k].id) == 0) {
                cache(counter, group->at[k].id, outcome->counts.at[i].counters,
                      supervisor_uuid(counter->executor));
                outcome->counts.at[i].counters = NULL;
                no_room |= outcome->counts.at[i].no_room;
                break;
            }
    return no_room;
}

static bool has_counters(struct counting_executor *counter, const char *id)
{
    const struct cached_counts *found = cached_counts_find(counter, id);
    return found && found->counters;
}

/* Marks the group's experiments to be counted alone, which finds the one at fault. */
static void count_alone(struct counting_executor *counter, const struct ahead *group,
                        const struct error *failure)
{
    log_info("%d experiments that were counted together are counted one by one: %s", group->count,
             failure->text);
    for (int i = 0; i < group->count; i++)
        cache(counter, group->at[i].id, NULL, "");
}

/* One try. *again: another try may succeed. */
static enum counting_executor_end attempt(struct counting_executor *counter, struct supervisor *timing,
                                          const struct ahead *group, double timeout_s, bool *again)
{
    const char *id = group->at[0].id;
    struct executor_outcome outcome;
    enum counting_executor_end end = COUNTING_DONE;
    *again = false;
    if (supervisor_exclusive(timing))
        supervisor_vacate(timing);
    ask(counter, timing, group, timeout_s, &outcome);
    bool no_room = outcome.end == OUTCOME_RESULT && take(counter, group, &outcome);
    if (outcome.end == OUTCOME_RESULT && !has_counters(counter, id)) {
        outcome.end = OUTCOME_FAILED;
        error_set(&outcome.failure, ERROR_CRASHED, "the executor left out what it was asked for");
    }
    const struct executor_session_config *config = &counter->config.supervisor.session;
    enum interrupt interrupt = config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
    if (outcome.end == OUTCOME_RESULT) {
        *again = no_room && supervisor_vacate(timing);
        if (*again)
            counting_executor_forget(counter, id);
    } else if (interrupt == INTERRUPT_STOP) {
        end = COUNTING_STOPPED;
    } else if (interrupt == INTERRUPT_CANCEL || outcome.failure.kind == ERROR_CANCELLED) {
        end = COUNTING_CANCELLED;
    } else if (outcome.end == OUTCOME_UNTOUCHED) {
        *again = true; /* the executor was gone before it had the question */
    } else if (group->count > 1 && outcome.failure.kind != ERROR_UNAVAILABLE) {
        count_alone(counter, group, &outcome.failure);
        *again = true;
    } else {
        cache(counter, id, counters_json_pack_failure(outcome.failure.text), "");
    }
    executor_question_free_outcome(&outcome);
    return end;
}

enum counting_executor_end counting_executor_count(struct counting_executor *counter,
                                                   struct supervisor *timing, const char *id,
                                                   const char *request, double timeout_s,
                                                   const char **counters)
{
    enum counting_executor_end end = COUNTING_DONE;
    bool again = !has_counters(counter, id);
    *counters = NULL;
    for (int tries = 0; again && tries < TRIES; tries++) {
        struct ahead group;
        bool alone = cached_counts_find(counter, id) != NULL;
        if (group_make(counter, id, request, alone, &group) < 0)
            break;
        end = attempt(counter, timing, &group, timeout_s, &again);
        protocol_ahead_free(&group);
    }
    if (end == COUNTING_DONE && !has_counters(counter, id))
        cache(counter, id,
              counters_json_pack_failure("the executor that counts was gone each time that it was asked"),
              "");
    const struct cached_counts *found = cached_counts_find(counter, id);
    if (found && found->uuid[0] && strcmp(found->uuid, supervisor_uuid(timing)) != 0) {
        cache(counter, id, counters_json_pack_failure("it was counted on another device than it is timed on"),
              "");
        found = cached_counts_find(counter, id);
    }
    if (end == COUNTING_DONE && found)
        *counters = found->counters;
    return end;
}

enum counting_executor_end counting_executor_decline(struct counting_executor *counter, const char *id,
                                                     const char **counters)
{
    struct counters none;
    counters_unavailable(&none, "say \"counting\": true in the device's entry in the file of devices",
                         "counts need a second executor, which may cost an allocation of its own");
    cache(counter, id, counters_json_pack(&none), "");
    const struct cached_counts *found = cached_counts_find(counter, id);
    *counters = found ? found->counters : NULL;
    return COUNTING_DONE;
}

/* ---- the executor ---- */

void counting_executor_tend(struct counting_executor *counter)
{
    supervisor_tend(counter->executor);
}

void counting_executor_tidy(struct counting_executor *counter)
{
    supervisor_tidy(counter->executor);
}

bool counting_executor_vacate(struct counting_executor *counter)
{
    return supervisor_vacate(counter->executor);
}

int64_t counting_executor_process(const struct counting_executor *counter)
{
    return supervisor_process(counter->executor);
}

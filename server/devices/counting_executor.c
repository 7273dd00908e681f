/* Groups, tries and the cache of counts: counting_executor.h. */
#include "server/devices/counting_executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counters_json.h"
#include "base/log.h"

/* Together, then alone; each once more where the executor was gone, or memory had to be freed. */
enum { TRIES = 4 };
/* How long a count may take beside its experiment's timeout_s: for the profiler's start, and for the
   experiments that are counted together with the first. */
static const double count_default_s = 10;

static const char *uuid_of(const struct supervisor *supervisor)
{
    return supervisor_status(supervisor)->facts.uuid;
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
    struct cached_counts added = {.counters = counters};
    snprintf(added.id, sizeof added.id, "%s", id);
    snprintf(added.uuid, sizeof added.uuid, "%s", uuid);
    counting_executor_forget(counter, added.id);
    if (counter->cached == CACHED_COUNTS_MAX)
        counting_executor_forget(counter, counter->at[0].id);
    counter->at[counter->cached++] = added;
}

static void cache_failure(struct counting_executor *counter, const char *id, const char *why)
{
    cache(counter, id, counters_json_pack_failure(why), "");
}

void counting_executor_clear(struct counting_executor *counter)
{
    while (counter->cached)
        counting_executor_forget(counter, counter->at[0].id);
}

/* ---- a count ---- */

/* The experiment, and unless `alone` those that run next and are not cached. -1: no memory. */
static int group_make(struct counting_executor *counter, const struct task *task, bool alone,
                      struct ahead *group)
{
    struct ahead next = {0};
    *group = (struct ahead){0};
    snprintf(group->at[0].id, sizeof group->at[0].id, "%s", task->id);
    group->at[0].request = strdup(task->request);
    if (!group->at[0].request)
        return -1;
    group->count = 1;
    if (!alone)
        queue_worker_ahead(counter->queue, counter->config->number, &next);
    for (int i = 0; i < next.count && group->count < PROTOCOL_POINTS; i++)
        if (!cached_counts_find(counter, next.at[i].id)) {
            group->at[group->count++] = next.at[i];
            next.at[i].request = NULL;
        }
    protocol_ahead_free(&next);
    return 0;
}

/* Makes sure that the executor counts the same device as the other one times. */
static int ready(struct counting_executor *counter, struct error *error)
{
    const char *uuid = uuid_of(counter->timing), *counted = uuid_of(counter->supervisor);
    const char *reason = supervisor_status(counter->supervisor)->reason;
    char why[256];
    if (supervisor_start(counter->supervisor, false) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "there is no executor that counts: %s",
                         reason[0] ? reason : "the service stops");
    if (strcmp(counted, uuid) == 0)
        return 0;
    snprintf(why, sizeof why, "the executor that counts got another device, %s, than the one that times, %s",
             counted, uuid);
    supervisor_reject(counter->supervisor, why);
    return error_set(error, ERROR_UNAVAILABLE, "%s", why);
}

static void ask(struct counting_executor *counter, const struct ahead *group, double timeout_s,
                struct executor_outcome *outcome)
{
    double count_s = counter->config->count_s;
    double limit_s = (count_s > 0 ? count_s : count_default_s) + timeout_s;
    struct buffer frame = protocol_write_count(group, counter->config->number, limit_s);
    const struct executor_question question = {MESSAGE_COUNTS, group->at[0].id, &frame, limit_s, false};
    *outcome = (struct executor_outcome){.end = OUTCOME_FAILED};
    if (ready(counter, &outcome->failure) == 0)
        supervisor_ask(counter->supervisor, &question, outcome);
    if (outcome->end == OUTCOME_LOST)
        supervisor_wait_lease_end(counter->supervisor); /* nothing may be timed while it may still count */
    buffer_free(&frame);
}

/* Takes over what was counted of the group; what was not asked for is left to
   protocol_message_free(). True: some of it was not counted for want of memory. */
static bool take(struct counting_executor *counter, const struct ahead *group,
                 struct executor_outcome *outcome)
{
    bool no_room = false;
    for (int i = 0; i < outcome->answer.counts.count; i++)
        for (int k = 0; k < group->count; k++)
            if (strcmp(outcome->answer.counts.at[i].id, group->at[k].id) == 0) {
                cache(counter, group->at[k].id, outcome->answer.counts.at[i].counters,
                      uuid_of(counter->supervisor));
                outcome->answer.counts.at[i].counters = NULL;
                no_room |= outcome->answer.counts.at[i].no_room;
                break;
            }
    return no_room;
}

static bool has_counters(struct counting_executor *counter, const char *id)
{
    const struct cached_counts *found = cached_counts_find(counter, id);
    return found && found->counters;
}

/* One process at a time may hold a context on the device. */
static bool is_exclusive(const struct counting_executor *counter)
{
    return strcmp(supervisor_status(counter->timing)->facts.compute_mode, "exclusive_process") == 0;
}

/* One try. *again: another try may succeed. */
static enum counting_executor_end attempt(struct counting_executor *counter, const struct ahead *group,
                                          double timeout_s, bool *again)
{
    const char *id = group->at[0].id;
    struct executor_outcome outcome;
    enum counting_executor_end end = COUNTING_DONE;
    *again = false;
    if (is_exclusive(counter))
        supervisor_free_device(counter->timing);
    ask(counter, group, timeout_s, &outcome);
    bool no_room = outcome.end == OUTCOME_RESULT && take(counter, group, &outcome);
    if (outcome.end == OUTCOME_RESULT && !has_counters(counter, id)) {
        outcome.end = OUTCOME_FAILED;
        error_set(&outcome.failure, ERROR_CRASHED, "the executor left out what it was asked for");
    }
    enum interrupt interrupt = executor_session_interrupt(counter->callbacks);
    if (outcome.end == OUTCOME_RESULT) {
        *again = no_room && supervisor_free_device(counter->timing);
        if (*again)
            counting_executor_forget(counter, id);
    } else if (interrupt == INTERRUPT_STOP) {
        end = COUNTING_STOPPED;
    } else if (interrupt == INTERRUPT_CANCEL || outcome.failure.kind == ERROR_CANCELLED) {
        end = COUNTING_CANCELLED;
    } else if (outcome.end == OUTCOME_UNTOUCHED) {
        *again = true; /* the executor was gone before it had the question */
    } else if (group->count > 1 && outcome.failure.kind != ERROR_UNAVAILABLE) {
        log_info("%d experiments that were counted together are counted one by one: %s", group->count,
                 outcome.failure.text);
        for (int i = 0; i < group->count; i++) /* this finds the one at fault */
            cache(counter, group->at[i].id, NULL, "");
        *again = true;
    } else {
        cache_failure(counter, id, outcome.failure.text);
    }
    protocol_message_free(&outcome.answer);
    return end;
}

enum counting_executor_end counting_executor_count(struct counting_executor *counter, const struct task *task,
                                                   const char **counters)
{
    const struct device_listing *listing = &counter->config->listing;
    enum counting_executor_end end = COUNTING_DONE;
    const char *id = task->id;
    bool again = listing->own || listing->counting;
    *counters = NULL;
    if (!again) {
        struct counters none;
        counters_unavailable(&none, "say \"counting\": true in the device's entry in the file of devices",
                             "counts need a second executor, which may cost an allocation of its own");
        cache(counter, id, counters_json_pack(&none), "");
    }
    for (int tries = 0; again && !has_counters(counter, id) && tries < TRIES; tries++) {
        struct ahead group;
        bool alone = cached_counts_find(counter, id) != NULL;
        if (group_make(counter, task, alone, &group) < 0)
            break;
        end = attempt(counter, &group, task->timeout_s, &again);
        protocol_ahead_free(&group);
    }
    if (end != COUNTING_DONE)
        return end;
    const struct cached_counts *found = cached_counts_find(counter, id);
    if (!found || !found->counters)
        cache_failure(counter, id, "the executor that counts was gone each time that it was asked");
    else if (found->uuid[0] && strcmp(found->uuid, uuid_of(counter->timing)) != 0)
        cache_failure(counter, id, "it was counted on another device than it is timed on");
    found = cached_counts_find(counter, id);
    *counters = found ? found->counters : NULL;
    return end;
}

void counting_executor_settle(struct counting_executor *counter)
{
    supervisor_check(counter->supervisor);
    if (is_exclusive(counter))
        supervisor_free_device(counter->supervisor);
}

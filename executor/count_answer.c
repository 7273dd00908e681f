/* Builds the group to be counted and its answer: count_answer.h. */
#include "executor/count_answer.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/counters_json.h"
#include "api/experiment_json.h"

/* How long those after the first may take. */
static const double ahead_s = 1;

/* The experiments that share passes. */
struct count_group {
    int count;
    struct counted points[COUNTERS_POINTS];
    struct experiment experiments[COUNTERS_POINTS];
    const char *ids[COUNTERS_POINTS];
};
_Static_assert((int)COUNTERS_POINTS == (int)PROTOCOL_POINTS, "a group is as large as the protocol allows");

/* An experiment that cannot be understood is left out: its own run will say why. Without the first there is
   no group. */
static void collect(struct count_group *group, const struct ahead *asked, const struct device_facts *facts)
{
    for (int i = 0; i < asked->count; i++) {
        struct error refused = {0};
        struct experiment *next = &group->experiments[group->count];
        if (experiment_json_read_text(next, asked->at[i].request, facts, &refused) < 0) {
            if (i == 0)
                return;
            continue;
        }
        group->ids[group->count] = asked->at[i].id;
        group->points[group->count++].experiment = next;
    }
}

/* Takes over the text; NULL: there was no memory for it. */
static void add(struct counts *counts, const char *id, char *text, bool no_room)
{
    if (!text)
        return;
    snprintf(counts->at[counts->count].id, sizeof counts->at[0].id, "%s", id);
    counts->at[counts->count].counters = text;
    counts->at[counts->count++].no_room = no_room;
}

int count_answer_make(struct runner *runner, const struct message *message, const struct device_facts *facts,
                      struct buffer *frame, struct error *error)
{
    struct counts counts = {0};
    struct error failure = {0};
    struct count_group *group = calloc(1, sizeof *group);
    if (!group)
        return error_set(error, ERROR_MEMORY, "no memory for what is counted");
    collect(group, &message->ahead, facts);
    if (!group->count)
        add(&counts, message->id, counters_json_pack_failure("the executor does not understand the request"),
            false);
    else if (runner_count(runner, group->points, group->count, ahead_s, &failure) == 0)
        for (int i = 0; i < group->count; i++) {
            const struct counters *counters = &group->points[i].counters;
            if (counters->status != COUNTERS_NOT_REQUESTED) /* it could share the passes */
                add(&counts, group->ids[i], counters_json_pack(counters), false);
        }
    else if (failure.kind == ERROR_OUT_OF_MEMORY)
        add(&counts, message->id, counters_json_pack_failure(failure.text), true);
    else
        *error = failure;
    if (error->kind == ERROR_NONE && !counts.count)
        error_set(error, ERROR_MEMORY, "no memory for what was counted");
    if (error->kind == ERROR_NONE)
        *frame = protocol_write_counts(message->id, &counts);
    protocol_counts_free(&counts);
    free(group);
    return error->kind == ERROR_NONE ? 0 : -1;
}

#include "executor/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counters_text.h"
#include "api/experiment_json.h"

/* So much time those may take that are counted along. */
static const double ahead_s = 1;

/* What is counted together. */
struct together {
    int count;
    struct counted points[COUNTERS_POINTS];
    struct experiment experiments[COUNTERS_POINTS];
    const char *ids[COUNTERS_POINTS];
};
_Static_assert((int)COUNTERS_POINTS == (int)PROTOCOL_POINTS,
               "as many are counted together as the protocol tells of");

/* One that cannot be understood is told so in its own run; the first has that run next. */
static void collect(struct together *together, const struct ahead *asked, const struct device_facts *facts)
{
    for (int i = 0; i < asked->count; i++) {
        struct error refused = {0};
        struct experiment *next = &together->experiments[together->count];
        if (experiment_from_text(next, asked->at[i].request, facts, &refused) < 0) {
            if (i == 0)
                return;
            continue;
        }
        together->ids[together->count] = asked->at[i].id;
        together->points[together->count++].experiment = next;
    }
}

/* Takes over the text. -1: there is none. */
static int tell(struct counts *counts, const char *id, char *text, bool no_room)
{
    if (!text)
        return -1;
    snprintf(counts->at[counts->count].id, sizeof counts->at[0].id, "%s", id);
    counts->at[counts->count].counters = text;
    counts->at[counts->count++].no_room = no_room;
    return 0;
}

/* Those that were left out have no counters to tell. */
static int tell_all(struct counts *counts, const struct together *together)
{
    for (int i = 0; i < together->count; i++) {
        const struct counters *counters = &together->points[i].counters;
        if (counters->status != COUNTERS_NOT_REQUESTED &&
            tell(counts, together->ids[i], counters_to_text(counters), false) < 0)
            return -1;
    }
    return 0;
}

int counts_answer(struct runner *runner, const struct message *message, const struct device_facts *facts,
                  struct buffer *frame, struct error *error)
{
    struct counts counts = {0};
    struct error failure = {0};
    int status = -1;
    struct together *together = calloc(1, sizeof *together);
    if (!together)
        goto out;
    collect(together, &message->ahead, facts);
    if (!together->count)
        tell(&counts, message->id, counters_lost_to_text("the executor does not understand the request"),
             false);
    else if (runner_count(runner, together->points, together->count, ahead_s, &failure) == 0)
        tell_all(&counts, together);
    else if (failure.kind == ERROR_OUT_OF_MEMORY)
        tell(&counts, message->id, counters_lost_to_text(failure.text), true);
    else
        *error = failure;
    if (error->kind == ERROR_NONE && counts.count) {
        *frame = protocol_write_counts(message->id, &counts);
        status = 0;
    }
out:
    protocol_counts_free(&counts);
    free(together);
    if (status < 0 && error->kind == ERROR_NONE)
        error_set(error, ERROR_MEMORY, "no memory for what was counted");
    return status;
}

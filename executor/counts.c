#include "executor/counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/protocol.h"

/* Of an experiment's timeout_s, and in seconds: so much time those ahead may take. */
static const double ahead_share = 0.25, ahead_most_s = 1;

/* What is counted together: the experiment that runs, then those ahead. */
struct together {
    int count;
    struct counted points[1 + PROTOCOL_AHEAD];
    struct experiment experiments[PROTOCOL_AHEAD];
    char ids[PROTOCOL_AHEAD][64];
};
_Static_assert(COUNTERS_POINTS == 1 + PROTOCOL_AHEAD,
               "as many are counted together as the protocol tells of");

/* NULL: it is not kept. */
static struct kept *find(struct counts *counts, const char *id)
{
    for (int i = 0; i < counts->kept; i++)
        if (strcmp(counts->at[i].id, id) == 0)
            return &counts->at[i];
    return NULL;
}

static void drop(struct counts *counts, struct kept *kept)
{
    struct kept *end = counts->at + counts->kept--;
    memmove(kept, kept + 1, (size_t)(end - kept - 1) * sizeof *kept);
}

/* One that cannot be understood is told so in its own run. */
static void add(struct together *together, const char *id, const char *request,
                const struct device_facts *facts)
{
    struct error refused = {0};
    int next = together->count - 1;
    if (experiment_from_text(&together->experiments[next], request, facts, &refused) < 0)
        return;
    snprintf(together->ids[next], sizeof together->ids[next], "%s", id);
    together->points[together->count++].experiment = &together->experiments[next];
}

static int ask(struct together *together, struct counts *counts, struct channel *channel, const char *id,
               const struct device_facts *facts, struct error *error)
{
    struct message answer;
    size_t length;
    char *line = message_ask(id);
    if (!line)
        return error_set(error, ERROR_MEMORY, "no memory for a line");
    channel_write(channel, line);
    free(line);
    line = channel_read(channel, &length);
    int failed = message_parse(&answer, line, length, error);
    free(line);
    if (failed)
        return -1;
    if (answer.type != MESSAGE_AHEAD || strcmp(answer.id, id) != 0)
        failed = error_set(error, ERROR_INVALID, "the server did not say what is ahead of %s", id);
    for (int i = 0; !failed && i < answer.ahead.count; i++)
        if (!find(counts, answer.ahead.at[i].id))
            add(together, answer.ahead.at[i].id, answer.ahead.at[i].request, facts);
    message_free(&answer);
    return failed;
}

static void keep(struct counts *counts, const struct together *together)
{
    for (int i = 1; i < together->count; i++) {
        if (together->points[i].counters.status != COUNTERS_MEASURED)
            continue;
        if (counts->kept == COUNTERS_POINTS)
            drop(counts, counts->at);
        struct kept *kept = &counts->at[counts->kept++];
        memcpy(kept->id, together->ids[i - 1], sizeof kept->id);
        kept->counters = together->points[i].counters;
    }
}

int counts_fill(struct counts *counts, struct runner *runner, struct channel *channel, const char *id,
                const struct experiment *experiment, const struct device_facts *facts,
                struct counters *counters, struct error *error)
{
    struct kept *kept = find(counts, id);
    if (kept) {
        *counters = kept->counters;
        drop(counts, kept);
        return 0;
    }
    struct together *together = calloc(1, sizeof *together);
    if (!together)
        return error_set(error, ERROR_MEMORY, "no memory for the counters");
    together->points[together->count++].experiment = experiment;
    double ahead_s = fmin(experiment->timeout_s * ahead_share, ahead_most_s);
    int failed = runner_can_count(runner) ? ask(together, counts, channel, id, facts, error) : 0;
    if (!failed)
        failed = runner_count(runner, together->points, together->count, ahead_s, error);
    if (!failed) {
        *counters = together->points[0].counters;
        keep(counts, together);
    }
    free(together);
    return failed;
}

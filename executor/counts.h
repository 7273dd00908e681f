/* The counters of an executor's runs. A sweep's points share passes: with the one that runs those ahead of it are counted,
   and what was found is kept until their own runs. */
#ifndef COALESCED_EXECUTOR_COUNTS_H
#define COALESCED_EXECUTOR_COUNTS_H

#include "executor/channel.h"
#include "kernels/runner.h"

/* Zeroed: nothing is kept. The oldest first, which make room: for those ahead there is always enough. */
struct counts {
    int kept;
    struct kept {
        char id[64];
        struct counters counters;
    } at[COUNTERS_POINTS];
};

/* Fills in the counters of experiment `id` after its run: what is kept, or counted now, for which the server is asked what is
   ahead. Returns 0; or -1 with what the device said of a launch, ERROR_MEMORY, or ERROR_INVALID: the server's answer is
   none. */
int counts_fill(struct counts *counts, struct runner *runner, struct channel *channel, const char *id,
                const struct experiment *experiment, const struct device_facts *facts,
                struct counters *counters, struct error *error);

#endif

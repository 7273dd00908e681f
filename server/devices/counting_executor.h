/* The executor that counts, beside the one that times: a process that has used the profiler times more slowly
   from then on. It is started when counters are first asked for, and ended when it is idle. Counts are made
   before an experiment is timed, of up to PROTOCOL_POINTS experiments at once, and cached by their ids.
   Behind a scheduler it may get another device than the executor that times, so the uuids of both are
   compared. A failure costs the counts, which then say why, and never the experiment.

   One thread uses it, the device's worker, so that both executors never work at the same time. There is no
   lock. */
#pragma once

#include "server/devices/supervisor.h"
#include "server/queue/queue_worker.h"

struct cached_counts {
    char id[64];
    char *counters; /* NULL: a count together with others failed, so it is counted alone */
    char uuid[64];  /* of the device that was counted; empty: the text says why there are no counts */
};

/* Two groups, so that another sweep's group does not push out the first. */
enum { CACHED_COUNTS_MAX = 2 * PROTOCOL_POINTS };

/* All but the cache is borrowed, and set by the worker. */
struct counting_executor {
    struct supervisor *supervisor; /* of this executor */
    struct supervisor *timing;     /* of the other one */
    const struct executor_config *config;
    const struct executor_callbacks *callbacks;
    struct queue *queue;
    int cached; /* entries, the oldest first: a new one drops the oldest */
    struct cached_counts at[CACHED_COUNTS_MAX];
};

/* Frees the cache. */
void counting_executor_clear(struct counting_executor *counter);

enum counting_executor_end { COUNTING_DONE, COUNTING_CANCELLED, COUNTING_STOPPED };

/* The counters of an experiment, cached or counted now; where no counting executor may be started, they say
   so. *counters is valid until the next call, and NULL unless COUNTING_DONE is returned. The executor that
   times is ended where the device or its memory has no space for both. */
enum counting_executor_end counting_executor_count(struct counting_executor *counter, const struct task *task,
                                                   const char **counters);

/* The experiment has ended: its cached counters are not needed any more. */
void counting_executor_forget(struct counting_executor *counter, const char *id);

/* Before the executor that times gets work: ends this one where it is idle, or where one process at a time
   may hold a context. */
void counting_executor_settle(struct counting_executor *counter);

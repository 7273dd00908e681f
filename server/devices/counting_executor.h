/* The executor that counts, beside the one that times: a process that has used the profiler times more slowly
   from then on. It is started when counters are first asked for, and ended when it is idle. Counts are made
   before an experiment is timed, of up to PROTOCOL_POINTS experiments at once, and cached by their ids.
   Behind a scheduler it may get another device than the executor that times, so the uuids of both are
   compared. A failure costs the counts, which then say why, and never the experiment.

   One thread uses it, the device's worker, so that both executors never work at the same time. There is no
   lock. */
#ifndef COALESCED_SERVER_DEVICES_COUNTING_EXECUTOR_H
#define COALESCED_SERVER_DEVICES_COUNTING_EXECUTOR_H

#include "server/devices/supervisor.h"

struct counting_executor;

struct counting_executor_config {
    struct supervisor_config
        supervisor; /* as of the executor that times; `counting` and the grace are set here */
    double count_s; /* how long a count may take beside its experiment's timeout_s */
    /* Fills in the experiments that will run next, of the same sweep as the one that runs; requests to be
       freed. */
    void (*look_ahead)(void *arg, struct ahead *ahead);
    void *look_ahead_arg;
};

/* Starts nothing yet. 0, or -1: ERROR_MEMORY. */
int counting_executor_new(struct counting_executor **counter, const struct counting_executor_config *config,
                          struct devices *devices, struct error *error);
void counting_executor_free(struct counting_executor *counter); /* NULL is allowed */

enum counting_executor_end { COUNTING_DONE, COUNTING_CANCELLED, COUNTING_STOPPED };

/* The counters of an experiment, cached or counted now. *counters is valid until the next call, and NULL
   unless COUNTING_DONE is returned. `timing`, the other executor, is ended where the device or its memory has
   no space for both. */
enum counting_executor_end counting_executor_count(struct counting_executor *counter,
                                                   struct supervisor *timing, const char *id,
                                                   const char *request, double timeout_s,
                                                   const char **counters);

/* The same where no counting executor may be started: the counters say so. */
enum counting_executor_end counting_executor_decline(struct counting_executor *counter, const char *id,
                                                     const char **counters);

/* The experiment has ended: its cached counters are not needed any more. */
void counting_executor_forget(struct counting_executor *counter, const char *id);

/* As supervisor_tend(), supervisor_tidy(), supervisor_vacate() and supervisor_process(). */
void counting_executor_tend(struct counting_executor *counter);
void counting_executor_tidy(struct counting_executor *counter);
bool counting_executor_vacate(struct counting_executor *counter);
int64_t counting_executor_process(const struct counting_executor *counter);

#endif

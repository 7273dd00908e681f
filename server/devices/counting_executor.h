/* The executor that counts, beside the one that times: a process that has used the profiler times more slowly ever after.
   It is started when counters are first asked for and ended when it has been idle. Counts are made before an experiment is
   timed, of up to PROTOCOL_POINTS experiments at once, and kept by their ids. Behind a scheduler it may get another device
   than the one that times, whose counts would be wrong: their uuids are compared. Whatever goes wrong costs counts, which
   then say why, and never an experiment.

   One thread uses a counting executor, the device's worker, which so never has both executors at work. */
#ifndef COALESCED_SERVER_DEVICES_COUNTING_EXECUTOR_H
#define COALESCED_SERVER_DEVICES_COUNTING_EXECUTOR_H

#include "server/devices/supervisor.h"

struct counting_executor;

struct counting_executor_config {
    struct supervisor_config
        supervisor; /* as of the executor that times; `counting` and the grace are set in here */
    double count_s; /* a count may take so long, and as long as its experiment may run */
    /* The experiments that will run next, of the same sweep as the one that runs; requests to be freed. */
    void (*look_ahead)(void *arg, struct ahead *ahead);
    void *look_ahead_arg;
};

/* Starts nothing yet. 0, or -1: ERROR_MEMORY. */
int counting_executor_new(struct counting_executor **counting_executor,
                          const struct counting_executor_config *config, struct devices *devices,
                          struct error *error);
void counting_executor_free(struct counting_executor *counting_executor); /* NULL is allowed */

enum counting_executor_end { COUNTING_DONE, COUNTING_CANCELLED, COUNTING_STOPPED };

/* The counters of an experiment: those kept of its id, or counted now. *counters is valid until the next call, and NULL
   unless COUNTING_DONE is returned. `timing` is the other executor's: it is ended where the device or its memory has no
   room for both. */
enum counting_executor_end counting_executor_count(struct counting_executor *counting_executor,
                                                   struct supervisor *timing, const char *id,
                                                   const char *request, double timeout_s,
                                                   const char **counters);

/* The same where none may be started: tells so in the place of counts. */
enum counting_executor_end counting_executor_decline(struct counting_executor *counting_executor,
                                                     const char *id, const char **counters);

/* The experiment has ended: what is kept for it is not needed any more. */
void counting_executor_forget(struct counting_executor *counting_executor, const char *id);

/* As supervisor_tend(). */
void counting_executor_tend(struct counting_executor *counting_executor);

/* Ends the executor when it has been idle for long. */
void counting_executor_tidy(struct counting_executor *counting_executor);

/* As supervisor_vacate() and supervisor_process(). */
bool counting_executor_vacate(struct counting_executor *counting_executor);
int64_t counting_executor_process(const struct counting_executor *counting_executor);

#endif

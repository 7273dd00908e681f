/* The server's end of one executor of a device: starts it, asks it one question at a time, reports how that
   ended, and replaces an executor that crashed, hung or lost its device. An executor that times passes a
   self-test on a known copy before it gets work again. Keeps the device's row in devices.h up to date.

   One thread uses a supervisor and must live as long as the service: the executor ends with that thread.
   There is no lock. No function waits without a limit. */
#pragma once

#include "server/devices/executor_question.h"

struct supervisor;

/* `counting`: of the device's counting executor, which gets --counting, calls neither `hello` nor `readiness`,
   and must start within 30 s. Starts nothing yet. Borrows all that is given; devices may be NULL. 0, or -1:
   ERROR_MEMORY. */
int supervisor_new(struct supervisor **supervisor, bool counting, const struct executor_config *config,
                   const struct executor_callbacks *callbacks, struct devices *devices, struct error *error);

/* Ends the executor. NULL is allowed. */
void supervisor_free(struct supervisor *supervisor);

/* Starts a missing executor, with a self-test where one is due; first ends one that died, sent an unexpected
   message or was idle for long. After a failed start or a lost executor there is a pause: 1 s, doubling to
   30 s; for a command that is not this program to five minutes. `wait`: sleeps for its rest, or until an
   interrupt. 0; -1: there is no executor, the status's reason says why (empty: the service stops). */
int supervisor_start(struct supervisor *supervisor, bool wait);

/* The same without a start: ends an executor that died or is idle for long, and sleeps for the rest of a
   pause. */
void supervisor_pause(struct supervisor *supervisor);

/* Notices an executor that died or sent an unexpected message, and ends one that is idle for long. Cheap when
   all is well. */
void supervisor_check(struct supervisor *supervisor);

/* For callbacks.tick, while the thread waits for something else: receives messages of an executor without a
   question, and sends beats; during a start publishes what that waits for. */
void supervisor_tick(struct supervisor *supervisor);

/* After supervisor_start() returned 0. Afterwards supervisor_usable() says whether the next question can
   follow at once. */
void supervisor_ask(struct supervisor *supervisor, const struct executor_question *question,
                    struct executor_outcome *outcome);
bool supervisor_usable(const struct supervisor *supervisor);

/* After OUTCOME_LOST: sleeps until the unreachable executor has ended by its lease, or until an interrupt.
   True: it has ended. */
bool supervisor_wait_lease_end(struct supervisor *supervisor);

/* Ends an executor that may hold a context, and so frees the device; with listing.release any executor.
   False: there was none. */
bool supervisor_free_device(struct supervisor *supervisor);

/* Ends an executor that cannot be used, and starts none for a while. */
void supervisor_reject(struct supervisor *supervisor, const char *why);

/* What is known of the device and its executor. Valid as long as the supervisor, which changes it. */
const struct device_status *supervisor_status(const struct supervisor *supervisor);

/* Starts an executor, waits for its hello, ends it. Returns how many devices such an executor sees, and in
   *facts (may be NULL) the first; or -1. */
int supervisor_probe(const struct executor_config *config, struct device_facts *facts, struct error *error);

/* The server's end of one executor of a device: starts it, asks it one question at a time, reports how that
   ended, and replaces an executor that crashed, hung or lost its device. An executor that times passes a
   self-test on a known copy before it gets work again. Keeps the device's row in devices.h up to date.

   One thread uses a supervisor and must live as long as the service: the executor ends with that thread.
   There is no lock. No function waits without a limit. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_H

#include <stdbool.h>

#include "base/error.h"
#include "server/devices/supervisor_config.h"

struct supervisor;

/* Starts nothing yet. Copies *config and its texts. devices may be NULL. 0, or -1: ERROR_MEMORY. */
int supervisor_new(struct supervisor **supervisor, const struct supervisor_config *config,
                   struct devices *devices, struct error *error);

/* Ends the executor. NULL is allowed. */
void supervisor_free(struct supervisor *supervisor);

/* Notices an executor that died or sent an unexpected message, and ends one that is idle for long; starts
   none. Cheap when all is well. */
void supervisor_tidy(struct supervisor *supervisor);

/* supervisor_tidy(); then, after a failed start or a lost executor, sleeps until the next start may be tried,
   or until an interrupt: 1 s, doubling to 30 s; for a command that is not this program to five minutes. */
void supervisor_rest(struct supervisor *supervisor);

/* Starts a missing executor, with a self-test where one is due. 0; -1: there is none. supervisor_ready()
   rests first; supervisor_try() returns -1 at once while it is too early. */
int supervisor_ready(struct supervisor *supervisor);
int supervisor_try(struct supervisor *supervisor);

/* Receives messages of an executor without a question, and sends beats, while its thread waits for something
   else. Does nothing while this supervisor starts or asks its executor. */
void supervisor_tend(struct supervisor *supervisor);

/* After OUTCOME_LOST: sleeps until the unreachable executor has ended by its lease, or until an interrupt.
   True: it has ended. */
bool supervisor_outlive(struct supervisor *supervisor);

/* Why supervisor_try() returned -1; valid until the next call. */
const char *supervisor_reason(const struct supervisor *supervisor);

/* After supervisor_ready() returned 0. Afterwards supervisor_usable() says whether the next question can
   follow at once. */
void supervisor_ask(struct supervisor *supervisor, const struct executor_question *question,
                    struct executor_outcome *outcome);

bool supervisor_usable(const struct supervisor *supervisor);

/* The process of an executor that may hold a context; 0: there is none. */
int64_t supervisor_process(const struct supervisor *supervisor);

/* Of the device, by the last hello; empty: there was none. */
const char *supervisor_uuid(const struct supervisor *supervisor);

/* Ends an executor that cannot be used, and starts none for a while. */
void supervisor_refuse(struct supervisor *supervisor, const char *why);

/* True when the device's facts are known. */
bool supervisor_known(const struct supervisor *supervisor);

/* Ends an executor that may hold a context, and so frees the device; with `release` any executor. False:
   there was none. */
bool supervisor_vacate(struct supervisor *supervisor);

/* By the last hello: the device has counters; one process at a time may hold a context there. */
bool supervisor_can_count(const struct supervisor *supervisor);
bool supervisor_exclusive(const struct supervisor *supervisor);

/* True when an executor that is there, or the next one, may outlive this service until its lease is over. */
bool supervisor_leased(const struct supervisor *supervisor);

/* Starts an executor, waits for its hello, ends it. Returns how many devices such an executor sees, or -1. Of
   *config the command, spec, lock_dir and session.hello_s are used. */
int supervisor_probe(const struct supervisor_config *config, struct error *error);

#endif

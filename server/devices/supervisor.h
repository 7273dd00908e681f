/* The server's end of one executor of a device: starts it, puts one question at a time to it, tells how that ended, and
   puts a fresh one in the place of one that crashed, hung or lost its device. One that times proves itself by a self-test
   on a known copy before it gets work again. Keeps the device's row in devices.h.

   One thread uses a supervisor, the one that lives as long as the service: its end takes the executor along.
   No function waits without a limit. */
#ifndef COALESCED_SERVER_DEVICES_SUPERVISOR_H
#define COALESCED_SERVER_DEVICES_SUPERVISOR_H

#include <stdbool.h>

#include "base/error.h"
#include "server/devices/supervisor_config.h"

struct supervisor;

/* Starts nothing yet. *config is copied, its texts too. devices may be NULL. 0, or -1: ERROR_MEMORY. */
int supervisor_new(struct supervisor **supervisor, const struct supervisor_config *config,
                   struct devices *devices, struct error *error);

/* Ends the executor. NULL is allowed. */
void supervisor_free(struct supervisor *supervisor);

/* Notices an executor that died or talks unasked, and ends one that has been idle for long; starts none. Costs next to
   nothing when all is well. */
void supervisor_tidy(struct supervisor *supervisor);

/* supervisor_tidy(); then, when a start failed or an executor was lost, sleeps until it may be tried again, or until an
   interrupt: 1 s, doubling to 30 s, for a command that is not our own to five minutes. */
void supervisor_rest(struct supervisor *supervisor);

/* Starts a missing one, with a self-test where that is due. -1: there is none. supervisor_ready() rests before;
   supervisor_try() returns -1 at once while it is too early. */
int supervisor_ready(struct supervisor *supervisor);
int supervisor_try(struct supervisor *supervisor);

/* Listens to an executor without a question, and beats. For whoever waits for something else; does nothing while this
   supervisor starts or asks one. */
void supervisor_tend(struct supervisor *supervisor);

/* After OUTCOME_LOST: sleeps until the executor that is out of reach has ended by itself, or until an interrupt. Has it ended? */
bool supervisor_outlive(struct supervisor *supervisor);

/* Why supervisor_try() returned -1; valid until the next call. */
const char *supervisor_reason(const struct supervisor *supervisor);

/* After supervisor_ready() returned 0. Afterwards supervisor_usable() tells whether the next can follow at once. */
void supervisor_ask(struct supervisor *supervisor, const struct question *question, struct outcome *outcome);

bool supervisor_usable(const struct supervisor *supervisor);

/* The process of an executor that may hold a context; 0: there is none. */
int64_t supervisor_process(const struct supervisor *supervisor);

/* The device's, by its executor's last word; empty: there was none. */
const char *supervisor_uuid(const struct supervisor *supervisor);

/* Ends an executor that is of no use, and starts none for a while. */
void supervisor_refuse(struct supervisor *supervisor, const char *why);

/* Is anything known of the device? */
bool supervisor_known(const struct supervisor *supervisor);

/* Ends an executor that may hold a context, and with it all that it holds on the device; with `release` any. False: there
   was none. */
bool supervisor_vacate(struct supervisor *supervisor);

/* Of the last hello: has the device counters, and may only one process at a time hold a context there? */
bool supervisor_can_count(const struct supervisor *supervisor);

/* Would an executor that is there, or the next one, outlive this service until its lease is over? One of an older protocol
   has no lease, which only its hello tells. */
bool supervisor_leased(const struct supervisor *supervisor);
bool supervisor_exclusive(const struct supervisor *supervisor);

/* Starts an executor, waits for its hello, ends it. Returns how many devices such an executor sees, or -1. Of
   *config the command, spec, lock_dir and executor session.hello_s are used. */
int supervisor_probe(const struct supervisor_config *config, struct error *error);

#endif

/* The executor's lease (api/protocol.h), for a server on another machine: one thread sends beats, ends the
   process when the lease is over, and handles SIGTERM, by which a scheduler takes the device back. Without a
   lease it waits for SIGTERM alone. */
#ifndef COALESCED_EXECUTOR_WATCH_H
#define COALESCED_EXECUTOR_WATCH_H

#include "base/error.h"
#include "executor/channel.h"

struct watch;

/* Opens the channel and starts the thread; both live until the process ends. SIGTERM is blocked in the
   calling thread and in those that it starts later. leave_s: how long a question may go on after SIGTERM. 0
   or -1. */
int watch_open(struct watch **watch, struct channel **channel, double leave_s, struct error *error);

/* Before an answer is worked on. Does not return when the process is leaving, or its lease is over. */
void watch_begin(struct watch *watch);

/* After the answer was written. Does not return when the process is leaving. */
void watch_end(struct watch *watch);

/* Ends the process when its lease is over. To be called before anything is sent. */
void watch_check(struct watch *watch);

#endif

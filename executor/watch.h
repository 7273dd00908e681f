/* What becomes of an executor whose server is on another machine: a thread that beats, that ends the process when its lease
   is over (api/protocol.h), and that takes SIGTERM, by which a scheduler tells that it wants the device back.

   Without a welcome, and with one that names no times, the thread only waits for SIGTERM. */
#ifndef COALESCED_EXECUTOR_WATCH_H
#define COALESCED_EXECUTOR_WATCH_H

#include "base/error.h"
#include "executor/channel.h"

struct watch;

/* Opens the channel and starts the thread; both live until the process ends. SIGTERM is blocked in the calling thread and
   in those that it starts later. leave_s: so long may go on what runs when SIGTERM comes. 0 or -1. */
int watch_open(struct watch **watch, struct channel **channel, double leave_s, struct error *error);

/* A question is about to be answered. Does not return when the process is leaving, or its lease is over. */
void watch_begin(struct watch *watch);

/* The answer was written. Does not return when the process is leaving. */
void watch_end(struct watch *watch);

/* Ends the process when its lease is over: before anything is said. */
void watch_check(struct watch *watch);

#endif

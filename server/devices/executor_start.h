/* The start of an executor: its process, its hello, a self-test where its predecessor made that due; and what
   a start waits for, which on a cluster may be an allocation, for hours. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_START_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_START_H

#include "server/devices/supervisor_state.h"

/* Starts an executor where there is none. 0; or -1: there is none, which was published, with when it may be
   tried again. The supervisor's thread. */
int executor_start(struct supervisor *s);

/* Looks again what a start waits for: the last lines that `starting` wrote to standard error, and the answer
   of the command `why`, which is run every few seconds. True: `text` changed. Waits at most for the end of a
   command that hangs. */
bool executor_start_look(struct start_wait *wait, const struct child *starting, char text[START_WAIT_BYTES]);

/* Ends the command. */
void executor_start_look_end(struct start_wait *wait);

#endif

/* The child process that alone holds a device's context. It speaks the protocol (api/protocol.h) on its
   standard input and output: says hello, then runs one experiment after the other until its input closes. */
#ifndef COALESCED_EXECUTOR_EXECUTOR_H
#define COALESCED_EXECUTOR_EXECUTOR_H

#include "base/error.h"

/* `coalesced --executor --device SPEC [--lock-dir DIR] [--counting] [--leave-seconds N]`: SPEC as device_find() takes it ("auto:0", "cuda:1",
   "cpu"); in DIR, or in a directory of its own choice, it locks a file named after the device for as long as it lives,
   another one when it is the executor that counts. What runs when SIGTERM comes has N seconds (20) to end. Called first thing in main,
   before any thread is started. Returns the process's exit status; most ways end the process by _exit(). */
int executor_main(int argc, char **argv);

/* Could an executor of this build ever be started for that SPEC? 0, or -1: ERROR_INVALID. What there is at the moment
   is not asked. */
int executor_check(const char *spec, struct error *error);

#endif

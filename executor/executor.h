/* The executor: the child process that alone holds a device's context. It speaks api/protocol.h on its
   standard input and output: it sends a hello, then answers one run or count after the other until its input
   closes. */
#pragma once

#include "base/error.h"

struct buffer;
struct device_facts;
struct message;
struct runner;

/* `coalesced --executor --device SPEC [--lock-dir DIR] [--counting] [--leave-seconds N]`; --help explains
   them. SPEC is as device_find() takes it ("auto:0", "cuda:1", "cpu"). Called first in main(), before any
   thread is started. Returns the process's exit status; most ways end the process by _exit(). */
int executor_main(int argc, char **argv);

/* 0 when an executor of this build could be started for that SPEC; -1: ERROR_INVALID. Devices of the machine
   are not looked for. */
int executor_check(const char *spec, struct error *error);

/* Answers a count: the counters of the experiment that runs next, and of those after it that can share its
   passes. 0 with the answer in *frame, to be freed; or -1 with *error: the device's error of a launch, or
   ERROR_MEMORY. */
int executor_count(struct runner *runner, const struct message *message, const struct device_facts *facts,
                   struct buffer *frame, struct error *error);

/* Runs the service, from its options to its end. */
#pragma once

#include "base/error.h"

struct config;

/* Checks the name of a device for an executor of ours. 0, or -1 with ERROR_INVALID. */
typedef int (*executor_spec_check)(const char *spec, struct error *error);

/* Serves until SIGTERM or SIGINT; SIGHUP reads the list of devices again. Blocks these signals in the calling
   thread, which must be the only one. `config` is borrowed. Returns the exit status: 0, 2 if an option
   has a wrong value, or 1 after another error. The error is in the log. */
int server_run(const struct config *config, executor_spec_check spec_check);

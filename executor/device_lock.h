/* One executor a device that times and one that counts: a lock on a file named after the device, held as long as the
   process lives, so that an old one that is still dying cannot spoil a new one's timings. */
#ifndef COALESCED_EXECUTOR_DEVICE_LOCK_H
#define COALESCED_EXECUTOR_DEVICE_LOCK_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* Waits up to wait_s for whoever holds it. `uuid` as struct device_facts has it; `counting`: the lock of executors that
   count, which is another one. The descriptor stays open until the process ends. 0; or -1: ERROR_CONFLICT when it is still
   held, ERROR_SYSTEM, ERROR_INVALID. */
int device_lock(const char *directory, const char *uuid, bool counting, double wait_s, struct error *error);

/* Opens the file of a lock, `<name><suffix>.lock` in the directory, and makes it; its path in `path`. The descriptor, which no
   child inherits; or -1: ERROR_INVALID, ERROR_SYSTEM. */
int device_lock_open(const char *directory, const char *name, const char *suffix, char path[PATH_MAX],
                     struct error *error);

/* A directory of this user's for locks on this machine, made when it is not there: for an executor that was told of none,
   because its service runs elsewhere. Returns `path`; or NULL, with a warning in the log, when there can be none. */
const char *device_lock_directory(char path[PATH_MAX]);

#endif

/* One executor a device at a time: a lock on a file named after the device, held as long as the process
   lives, so that an old one that is still dying cannot spoil a new one's timings. */
#ifndef COALESCED_EXECUTOR_DEVICE_LOCK_H
#define COALESCED_EXECUTOR_DEVICE_LOCK_H

#include "base/error.h"

/* Waits up to wait_s for whoever holds it. `uuid` as struct device_facts has it. The descriptor stays open
   until the process ends. 0; or -1: ERROR_CONFLICT when it is still held, ERROR_SYSTEM, ERROR_INVALID. */
int device_lock(const char *directory, const char *uuid, double wait_s, struct error *error);

#endif

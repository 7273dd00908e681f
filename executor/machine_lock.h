/* Locks of this machine: flock() on files in a directory, whichever process or service takes them. The kernel
   releases them when the process ends, however it ends. One thread uses them.

   For the life of an executor: one executor of a device that times, and one that counts, so that an old one
   that is still ending cannot disturb a new one's timings. For a run, because what disturbs one another's
   times runs one after the other: its device, the peer's device where an experiment uses two, and "host-link"
   where it crosses the bus or works on the host's memory. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* Returns `path`: a directory of this user's for locks, made when it is missing; for an executor without
   --lock-dir, because its service runs on another machine. NULL, with a warning in the log: there can be
   none. */
const char *machine_lock_directory(char path[PATH_MAX]);

/* Takes the lock for the process's life; `uuid` as in struct device_facts, `counting`: the lock of executors
   that count, which is another one. Waits up to wait_s for the holder. 0; or -1: ERROR_CONFLICT: it is still
   held, ERROR_SYSTEM, ERROR_INVALID. */
int machine_lock_device(const char *directory, const char *uuid, bool counting, double wait_s,
                        struct error *error);

enum { MACHINE_LOCKS = 3 }; /* of a run: its device, the peer's, the host link */

/* The locks of a run. All zero but what is set: none is held. */
struct machine_lock {
    const char *directory; /* NULL: there is none, and nothing is locked */
    const char *uuid;      /* the device's own */
    /* Called before machine_lock_take() or machine_lock_take_host_link() waits, once in a call; NULL: never. */
    void (*waits)(void *arg);
    void *arg;
    int held[MACHINE_LOCKS], count; /* descriptors */
    bool host_link, waited;
};

/* Locks the device and, unless `peer` is empty, the device of that uuid: in the order of the uuids, so that
   no two runs wait for each other; and last the host link where `host_link` asks for it. Waits without a
   limit. A file that cannot be opened costs a warning and no lock. */
void machine_lock_take(struct machine_lock *lock, const char *peer, bool host_link);

/* Locks the host link alone, unless it is held; after machine_lock_take(). */
void machine_lock_take_host_link(struct machine_lock *lock);

/* Releases all locks of the run. */
void machine_lock_release(struct machine_lock *lock);

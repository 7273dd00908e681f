/* A kind of device as a table of functions, for the runner alone. One thread uses a device. Functions
   return 0, or -1 with *error set; they wait until the device is done unless they say otherwise. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/device/device_counters.h"
#include "kernels/device/kernel_entry.h"
#include "kernels/facts.h"
#include "kernels/placement.h"
#include "kernels/result.h"

__BEGIN_DECLS

/* Opaque: each kind casts them to its own types. */
struct device;
struct launches; /* launches back to back, ready to be started as one */

struct device_kind {
    const char *name;
    bool fallback; /* used when no other kind has a device */

    /* The number of devices that this process sees; 0 without a driver. */
    int (*count)(void);
    /* Fills the facts without creating a context or allocating on the device. */
    int (*describe)(int index, struct device_facts *facts, struct error *error);

    /* Opens a device: creates a context and what timing needs. */
    int (*open)(struct device **device, int index, struct error *error);
    void (*close)(struct device *device);

    /* Sets the peer, another device of this kind, by its uuid, for MEMORY_PEER from here on. `access`:
       launches can access that memory, else only copies can. NULL: this kind has no peers. Errors:
       ERROR_NOT_FOUND, ERROR_INVALID (the device itself), ERROR_UNAVAILABLE (no access is possible between
       the two). */
    int (*peer)(struct device *device, const char *uuid, bool access, struct error *error);

    /* Reserves memory of at least so many bytes, aligned to KERNEL_ALIGN_BYTES. It is reused until
       close(), and allocated again when it is too small or with `anew`, then behind a spacer of random
       size as far as memory allows. Its contents are undefined. ERROR_OUT_OF_MEMORY: there is not enough. */
    int (*reserve)(struct device *device, uint64_t bytes, enum memory whose, bool anew,
                   struct reserved *place, struct error *error);
    int (*fill)(struct device *device, void *at, int byte, uint64_t bytes, struct error *error);
    /* Counts the bytes that differ from `byte`. */
    int (*count_other)(struct device *device, const void *at, int byte, uint64_t bytes,
                       struct mismatches *found, struct error *error);
    int (*read)(struct device *device, void *to, const void *from, uint64_t bytes, struct error *error);
    int (*write)(struct device *device, void *to, const void *from, uint64_t bytes, struct error *error);
    /* Host memory for copies, pinned or not. Both NULL: the device's memory is the host's. */
    int (*host_alloc)(struct device *device, uint64_t bytes, bool pinned, void **at, struct error *error);
    void (*host_free)(struct device *device, void *at, bool pinned);

    int (*prepare)(struct device *device, const struct run *run, int buffer, struct error *error);
    int (*launch)(struct device *device, const struct run *run, struct error *error);
    int (*check)(struct device *device, const struct run *run, int buffer, struct mismatches *found,
                 struct error *error);
    /* Loads the kernel and prepares what its launches need besides memory, so that no later launch does. */
    int (*launch_facts)(struct device *device, const struct run *run, struct launch_facts *facts,
                        struct error *error);

    /* Times one launch with cold caches; `run` NULL: an empty kernel. *us in microseconds; negative: a sample
       to discard. */
    int (*time_cold)(struct device *device, const struct run *run, double *us, struct error *error);

    /* Makes so many launches, to be run back to back, warm, and timed as a whole. `run` must outlive them. */
    int (*launches_new)(struct device *device, const struct run *run, unsigned count,
                        struct launches **launches, struct error *error);
    int (*launches_time)(struct device *device, struct launches *launches, double *us, struct error *error);
    void (*launches_free)(struct device *device, struct launches *launches);

    /* Empties the caches, so that nothing is left to be written back. For kinds with counters. */
    int (*flush)(struct device *device, struct error *error);
    /* The profiler of this device's context, which close() frees. flush and counters are NULL for a kind
       without counters. */
    int (*counters)(struct device *device, struct counters_session **session, struct error *error);
};

/* The generated list, GPUs first, ended by NULL. */
extern const struct device_kind *const device_kinds[];

/* Returns 0 when the spec can name a device of this build, whatever devices there are; -1: ERROR_INVALID.
   Does not ask drivers. */
int device_check(const char *spec, struct error *error);

/* Finds a device: "auto:N" is the N-th device of all kinds but fallbacks, or of the fallback when there is
   none; "cuda:N", "cpu". *count is the number of devices that a spec of this form can name. Returns 0, or -1:
   ERROR_NOT_FOUND, ERROR_INVALID. */
int device_find(const char *spec, const struct device_kind **kind, int *index, int *count,
                struct error *error);

/* The duration of the next spinning kernel, nanoseconds, so that a sample is completely enqueued before
   its clock starts. After an `early` sample, whose clock started before: twice as long,
   DEVICE_SPIN_MOST_NS at most. Else a little shorter, but not below the last enqueueing with a margin, nor
   below DEVICE_SPIN_LEAST_NS. So one delay of the host makes only a few samples longer. */
double device_spin_ns(double spin_ns, double enqueue_ns, bool early);

enum { DEVICE_SPIN_LEAST_NS = 10000, DEVICE_SPIN_MOST_NS = 2000000 };

__END_DECLS

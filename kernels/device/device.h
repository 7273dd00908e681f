/* A kind of device as a small table of functions. The runner is their only caller; one thread uses a device.
   Functions return 0, or -1 with *error set; they wait until the device is done unless they say otherwise. */
#ifndef COALESCED_KERNELS_DEVICE_DEVICE_H
#define COALESCED_KERNELS_DEVICE_DEVICE_H

#include "base/error.h"
#include "kernels/device/device_counters.h"
#include "kernels/device/kernel_entry.h"
#include "kernels/facts.h"
#include "kernels/placement.h"
#include "kernels/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque: each kind casts them to types of its own. */
struct device;
struct launches; /* a number of launches, back to back, ready to be started as one */

struct device_kind {
    const char *name;
    bool fallback; /* stands in when no other kind has a device */

    /* How many this process sees; 0 without a driver. */
    int (*count)(void);
    /* Without creating a context: nothing is allocated on the device. */
    int (*describe)(int index, struct device_facts *facts, struct error *error);

    /* With a context and what timing needs. */
    int (*open)(struct device **device, int index, struct error *error);
    void (*close)(struct device *device);

    /* Another device of this kind by its uuid, for MEMORY_PEER from here on; `access`: launches may reach that memory, else
       only copies do. NULL: such a device has no peers. ERROR_NOT_FOUND, ERROR_INVALID (itself), ERROR_UNAVAILABLE (no
       access is possible between the two). */
    int (*peer)(struct device *device, const char *uuid, bool access, struct error *error);

    /* Memory of at least so many bytes, aligned to KERNEL_ALIGN_BYTES; kept until close() and handed out again, grown when
       needed. `anew`: it is allocated again all the same, behind a spacer
       of random size where there is room for one. ERROR_OUT_OF_MEMORY when it is not to be had. Its contents are
       undefined. */
    int (*reserve)(struct device *device, uint64_t bytes, enum memory whose, bool anew,
                   struct reserved *place, struct error *error);
    int (*fill)(struct device *device, void *at, int byte, uint64_t bytes, struct error *error);
    /* Bytes that differ from `byte`. */
    int (*count_other)(struct device *device, const void *at, int byte, uint64_t bytes,
                       struct mismatches *found, struct error *error);
    int (*read)(struct device *device, void *to, const void *from, uint64_t bytes, struct error *error);
    int (*write)(struct device *device, void *to, const void *from, uint64_t bytes, struct error *error);
    /* Host memory to copy from and to, pinned or not. NULL, both: the device's memory is the host's. */
    int (*host_alloc)(struct device *device, uint64_t bytes, bool pinned, void **at, struct error *error);
    void (*host_free)(struct device *device, void *at, bool pinned);

    int (*prepare)(struct device *device, const struct run *run, int buffer, struct error *error);
    int (*launch)(struct device *device, const struct run *run, struct error *error);
    int (*check)(struct device *device, const struct run *run, int buffer, struct mismatches *found,
                 struct error *error);
    /* Loads the kernel, and makes ready what its launches need besides memory: nothing of that happens in a launch after it. */
    int (*launch_facts)(struct device *device, const struct run *run, struct launch_facts *facts,
                        struct error *error);

    /* One launch with cold caches; run NULL: an empty kernel. Microseconds in *us, or *us negative: the
       sample is to be discarded. */
    int (*time_cold)(struct device *device, const struct run *run, double *us, struct error *error);

    /* So many launches back to back, warm, timed as a whole. `run` must outlive them. */
    int (*launches_new)(struct device *device, const struct run *run, unsigned count,
                        struct launches **launches, struct error *error);
    int (*launches_time)(struct device *device, struct launches *launches, double *us, struct error *error);
    void (*launches_free)(struct device *device, struct launches *launches);

    /* Caches without a line of ours, and nothing left to be written back. Where there are counters. */
    int (*flush)(struct device *device, struct error *error);
    /* The profiler of this device's context, kept until close(). NULL, both: such a device has no counters. */
    int (*counters)(struct device *device, struct counters_session **session, struct error *error);
};

/* The generated list, GPUs first, ended by NULL. */
extern const struct device_kind *const device_kinds[];

/* Can a spec ever name a device of this build, whatever there is here? Asks no driver. 0 or -1: ERROR_INVALID. */
int device_check(const char *spec, struct error *error);

/* "auto:N": the N-th device of all but fallback kinds, or of the fallback when there is none; "cuda:N",
   "cpu". *count is how many a spec of that form can name. Returns 0, or -1: ERROR_NOT_FOUND, ERROR_INVALID.
 */
int device_find(const char *spec, const struct device_kind **kind, int *index, int *count,
                struct error *error);

/* How long a kernel must spin, in nanoseconds, so that a sample is enqueued whole before its clock starts: after a sample
   that was `early` (its clock started before) twice as long, at most DEVICE_SPIN_MOST_NS; else a little shorter each time,
   but not below what enqueueing took this time, with room, nor below DEVICE_SPIN_LEAST_NS. So one delay of the host's
   makes a few samples longer and not all that follow. */
double device_spin_ns(double spin_ns, double enqueue_ns, bool early);

enum { DEVICE_SPIN_LEAST_NS = 10000, DEVICE_SPIN_MOST_NS = 2000000 };

#ifdef __cplusplus
}
#endif
#endif

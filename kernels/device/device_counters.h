/* A GPU's hardware counters by CUPTI's range profiler. CUPTI is opened at run time and every call of it
   may be refused: then the counters are unavailable, and nothing else is affected. No CUDA type is used
   here, so that tests can replace CUPTI by a library of their own. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/counters.h"

__BEGIN_DECLS

/* The profiler of this process on one context: opened at the first measurement and then left enabled, which
   saves 140 ms a measurement. From the ninth counted launch on every launch in the context takes some 0.2 us
   longer (docs/measuring.md), so a process that counts must not time. The next measurement tries again what
   failed. */
struct counters_session;

/* The work to count: each pass launches all points once. Both functions wait until the device is done, and
   return 0, or -1 with *error. */
struct counters_work {
    void *arg;
    int points; /* 1 to COUNTERS_POINTS */
    /* Seconds in which all passes together may begin further points; the remaining points are not counted in
       any pass. */
    double ahead_s;
    /* Called before every launch: restores outputs, empties caches. The profiler sees the kernels that it
       launches, except the first point's. */
    int (*prepare)(void *arg, int point, struct error *error);
    int (*launch)(void *arg, int point, struct error *error); /* one kernel */
    unsigned preparing[COUNTERS_POINTS];                      /* kernels that prepare() launches */
};

/* Makes the profiler of a CUcontext that is current in this thread, of the runtime's device of that index,
   without using either yet. NULL: no memory. */
struct counters_session *device_counters_new(void *context, int device_index);
void device_counters_free(struct counters_session *session); /* NULL is allowed */

/* Prepares and launches as many times as the counters need passes. Returns 0 with the counters of each point;
   or -1 when the work failed, which is an error of the device and not of CUPTI. A refusal is in counters[0];
   the others, and points that were left out, are then COUNTERS_NOT_REQUESTED. */
int device_counters_measure(struct counters_session *session, const struct counters_wanted *wanted,
                            const struct counters_work *work, struct counters counters[],
                            struct error *error);

__END_DECLS

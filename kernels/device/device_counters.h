/* A GPU's hardware counters by CUPTI's range profiler. CUPTI is opened at run time and everything in it may refuse: then
   the counters are unavailable and nothing else is the worse for it. No type of CUDA's is in here, so that a library that
   only plays CUPTI can stand behind it. */
#ifndef COALESCED_KERNELS_DEVICE_DEVICE_COUNTERS_H
#define COALESCED_KERNELS_DEVICE_DEVICE_COUNTERS_H

#include "base/error.h"
#include "kernels/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One process' profiler on one context: opened at the first measurement and kept enabled, which saves 140 ms a
   measurement. From its ninth counted launch on every launch in the context takes some 0.2 us longer (docs/measuring.md),
   so a process that counts must not time. What failed is tried again by the next measurement. */
struct counters_session;

/* What is counted: each pass goes through all points, which is one launch for each. Both functions wait until the device
   is done, and return 0, or -1 with *error. */
struct counters_work {
    void *arg;
    int points; /* 1 to COUNTERS_POINTS */
    /* so long may all passes together take to begin further points; the rest is left out of all */
    double ahead_s;
    /* Before every launch: outputs restored, caches cold and clean. The profiler sees the kernels that it launches, but
       for the first point's. */
    int (*prepare)(void *arg, int point, struct error *error);
    int (*launch)(void *arg, int point, struct error *error); /* one kernel */
    unsigned preparing[COUNTERS_POINTS];                      /* kernels that prepare() launches */
};

/* For the CUcontext that is current in this thread, of the runtime's device of that index. Touches neither yet.
   NULL: no memory. */
struct counters_session *device_counters_new(void *context, int device_index);
void device_counters_free(struct counters_session *session); /* NULL is allowed */

/* Prepares and launches as many times as the counters need passes. Returns 0 with what came of it in counters[point]; or
   -1 when the work failed, which is the device's fault and not CUPTI's. A refusal is told in counters[0]; the others, and
   points that were left out, are then COUNTERS_NOT_REQUESTED. */
int device_counters_measure(struct counters_session *session, const struct counters_wanted *wanted,
                            const struct counters_work *work, struct counters counters[],
                            struct error *error);

#ifdef __cplusplus
}
#endif
#endif

/* One experiment on one device: fill, poison, launch once, check everything, and only then warm up and time.
 */
#ifndef COALESCED_KERNELS_MEASURE_RUNNER_H
#define COALESCED_KERNELS_MEASURE_RUNNER_H

#include "base/error.h"
#include "kernels/measure/counting.h"
#include "kernels/device/device.h"
#include "kernels/result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct runner;

/* Opens the device: its context exists from here on. One thread uses a runner. Returns 0 or -1. */
int runner_new(struct runner **runner, const struct device_kind *kind, int index, struct error *error);
void runner_free(struct runner *runner); /* NULL is allowed */

/* Runs a checked experiment, all but its counters. The result's samples are the runner's until its next run. progress(arg, phase), which may be NULL, hears "quiet" (it waits for the
   device to be), "prepare", "check", "cold", "hot" and "transfers". Returns 0; or -1: ERROR_OUT_OF_MEMORY before anything
   started; ERROR_INCORRECT with result->correctness filled and nothing timed; ERROR_CUDA, ERROR_DEVICE_LOST, after which
   the runner is of no use any more. */
int runner_run(struct runner *runner, const struct experiment *experiment, struct result *result,
               void (*progress)(void *arg, const char *phase), void *arg, struct error *error);

/* samples(arg, phase, count) hears how many samples of "cold" or "hot" runner_run() has so far: between two samples, when
   the device has nothing to do, and at most every RUNNER_TELL_NS. NULL: nobody does. */
enum { RUNNER_TELL_NS = 250000000 };
void runner_set_samples(struct runner *runner, void (*samples)(void *arg, const char *phase, unsigned count),
                        void *arg);

/* The process that counts on this device may hold a context there: it is no stranger. 0: there is none. */
void runner_set_counting_executor(struct runner *runner, int64_t pid);

/* Counts experiments as counting.h says. Times that are taken by the same process afterwards are not to be trusted. */
int runner_count(struct runner *runner, struct counted points[], int count, double ahead_s,
                 struct error *error);

/* The first half of runner_run(): fill, poison, launch once, check. */
int runner_verify(struct runner *runner, const struct experiment *experiment, struct result *result,
                  struct error *error);

#ifdef __cplusplus
}
#endif
#endif

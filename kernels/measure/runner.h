/* Runs one experiment on one device: fills the arrays, launches once, checks every element, and only then
   warms up and times. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/measure/counting.h"
#include "kernels/device/device.h"
#include "kernels/result.h"

__BEGIN_DECLS

struct runner;

/* Opens the device: its context exists from here on. One thread uses a runner. Returns 0 or -1. */
int runner_new(struct runner **runner, const struct device_kind *kind, int index, struct error *error);
void runner_free(struct runner *runner); /* NULL is allowed */

/* Runs a checked experiment except its counters. The result's samples belong to the runner and are valid
   until its next run. progress(arg, phase), which may be NULL, is called with "quiet" (waiting for a quiet
   device), "prepare", "check", "cold", "hot" and "transfers". Returns 0; or -1: ERROR_OUT_OF_MEMORY before
   anything started; ERROR_INCORRECT with result->correctness filled and nothing timed; ERROR_CUDA and
   ERROR_DEVICE_LOST, after which the runner must not be used again. */
int runner_run(struct runner *runner, const struct experiment *experiment, struct result *result,
               void (*progress)(void *arg, const char *phase), void *arg, struct error *error);

/* samples(arg, phase, count) is called with the number of "cold" or "hot" samples so far: between two
   samples, when the device is idle, and at most every RUNNER_REPORT_NS. NULL: no calls. */
enum { RUNNER_REPORT_NS = 250000000 };
void runner_set_samples(struct runner *runner, void (*samples)(void *arg, const char *phase, unsigned count),
                        void *arg);

/* The process of the counting executor, which may hold a context on this device: it is not one of the others
   that stability reports. 0: there is none. */
void runner_set_counting_executor(struct runner *runner, int64_t pid);

/* Counts experiments as counting.h describes. Times that this process measures afterwards are not valid. */
int runner_count(struct runner *runner, struct counted points[], int count, double ahead_s,
                 struct error *error);

/* The first half of runner_run(): fill, poison, launch once, check. */
int runner_verify(struct runner *runner, const struct experiment *experiment, struct result *result,
                  struct error *error);

__END_DECLS

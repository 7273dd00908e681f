/* How long something takes: sampling until enough is known, and what the samples say. Microseconds. */
#ifndef COALESCED_KERNELS_TIMING_H
#define COALESCED_KERNELS_TIMING_H

#include "base/error.h"
#include "kernels/result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct timing_plan {
    unsigned min_samples; /* at least so many, unless max_seconds is over */
    unsigned look_every;  /* samples between two looks at the noise */
    double noise;         /* stop when it is no more than this */
    double max_seconds;   /* stop after so long; at least one sample is always taken */
    double tick_us;       /* resolution of the timer: noise is never reported below tick over median */
};

/* Takes samples by calling sample(arg, &us, error) (which returns -1 when it fails, and a negative us for one
   to be discarded), until noise, no_gain (three looks in a row that lowered the noise by less than a tenth)
   or max_seconds. Returns 0, or -1. When the first 200 samples are all
   discarded it gives up: samples is 0 then. */
int timing_collect(struct timing *timing, const struct timing_plan *plan,
                   int (*sample)(void *arg, double *us, struct error *error), void *arg, struct error *error);

/* The statistics of `count` samples (at least one), which are sorted in place. Quartiles are interpolated
   linearly between order statistics; the interval of the median holds its true value with 95 % by the
   binomial distribution of ranks. Below TIMING_LEAST samples no ranks do: the interval and the noise are NAN then.
   Does not set stop. */
void timing_summarise(struct timing *timing, double *samples_us, unsigned count, double tick_us);

/* The least difference between two samples that differ: the resolution of the timer. 0 when all are equal. */
double timing_tick(const double *samples_us, unsigned count);

/* Microseconds a launch, from sequences of `few` and of `many` launches that took so long: what the longer took more, over
   the launches that it had more, so that what is spent once a sequence does not count. Negative, to be discarded, when
   that is less than half of what a launch of the longer took on average: then the shorter was held up, since what is
   spent once is far less than the launches of a sequence take. */
double timing_slope_us(double few_us, unsigned few, double many_us, unsigned many);

/* How long a kernel must spin, in nanoseconds, so that a sample is enqueued whole before its clock starts: after a sample
   that was `early` (its clock started before) twice as long, at most TIMING_SPIN_MOST_NS; else a little shorter each time,
   but not below what enqueueing took this time, with room, nor below TIMING_SPIN_LEAST_NS. So one delay of the host's
   makes a few samples longer and not all that follow. */
double timing_spin_ns(double spin_ns, double enqueue_ns, bool early);

enum { TIMING_SPIN_LEAST_NS = 10000, TIMING_SPIN_MOST_NS = 2000000 };

#ifdef __cplusplus
}
#endif
#endif

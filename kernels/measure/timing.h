/* Samples a duration until it is known well enough, and computes the statistics of the samples. All times are
   microseconds unless a name says otherwise. */
#pragma once

#include "base/error.h"
#include "kernels/result.h"

struct timing_plan {
    unsigned min_samples; /* the minimum, unless max_seconds is over */
    unsigned look_every;  /* samples of each round behind those */
    double noise;         /* stop at this noise or less */
    double max_seconds;   /* limit of the sampling time; one sample at least is always taken */
    double tick_us;       /* resolution of the timer */
    double unseen_us;     /* of this kind of samples, see timing_summarise() */
};

/* The state of a series that is being sampled round by round. All zero except `series` at the start. */
struct sampling {
    struct series *series;
    struct timing timing; /* of the samples so far */
    double spent_s;       /* by the rounds so far */
    double noise_before;
    unsigned idle_looks;
    bool over; /* timing.stop says why, unless timing.samples is 0 */
};

/* Takes one round: of the first TIMING_ROUNDS rounds each has an equal part of min_samples, later ones
   look_every samples. sample(arg, &us, error) returns -1 when it fails, and a negative us for a sample to
   discard. From min_samples on, the end of each round decides whether sampling is over: by the noise, by
   no_gain (three decisions in a row that lowered the noise by less than a tenth each), by max_seconds, or
   by the capacity of a series. Returns 0, or -1. Gives up with timing.samples 0 when the first 200 samples
   are all discarded, or the first 20 and time is over. */
int timing_round(struct sampling *sampling, const struct timing_plan *plan,
                 int (*sample)(void *arg, double *us, struct error *error), void *arg, struct error *error);

enum { TIMING_ROUNDS = 5 };

/* Removes the samples; timing_series_free() also frees the memory. */
void timing_series_clear(struct series *series);
void timing_series_free(struct series *series);

/* Differences between runs at one placement that are constant within each run, so that no run sees them in
   its samples. Each is half of a 95 % interval, measured on an H200 (docs/measuring.md): a part of the
   median; for single launches microseconds, by the level of the timer; for launches in a sequence
   microseconds a launch, by where the sequence's commands lie in memory. */
#define TIMING_UNSEEN_SHARE 0.001
#define TIMING_UNSEEN_TIMER_US 0.080
#define TIMING_UNSEEN_SEQUENCE_US 0.010

/* Computes the statistics of a series with at least one sample; quartiles are interpolated linearly
   between order statistics. The uncertainty at either end is computed on the logarithm of the time, since a
   time is positive and what disturbs it multiplies it (Limpert, Stahel and Abbt 2001), so that the interval is
   positive too. It is the largest of three: the interval of the median by the binomial distribution of ranks,
   95 % for independent samples (David and Nagaraja, Order Statistics, 7.1); Student's t over the logarithms of
   the rounds' medians, since samples of one round have more in common than those of two; a tick of the timer.
   The noise is half of that interval over the median. The interval ci95_us is wider: the root of the sum of
   the squares of that, of TIMING_UNSEEN_SHARE of the median, and of unseen_us, each as a logarithm. With fewer
   than TIMING_LEAST samples, or a median of 0, interval and noise are NAN. Does not set stop and launches.
   Returns 0, or -1: no memory. */
int timing_summarise(struct timing *timing, const struct series *series, double tick_us, double unseen_us,
                     struct error *error);

/* The smallest difference between two samples that differ: the resolution of the timer. 0 when all are
   equal. */
double timing_tick(const double *samples_us, unsigned count);

/* Microseconds a launch, from sequences of `few` and of `many` launches with these durations: the
   difference of the durations over the difference of the counts, so that a sequence's fixed costs cancel.
   Negative (to be discarded) when that is less than half of the longer sequence's mean: then the shorter
   one was delayed, since the fixed costs are far less than the launches take. */
double timing_slope_us(double few_us, unsigned few, double many_us, unsigned many);

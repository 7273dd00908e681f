/* How long something takes: sampling until enough is known, and what the samples say. Microseconds. */
#ifndef COALESCED_KERNELS_MEASURE_TIMING_H
#define COALESCED_KERNELS_MEASURE_TIMING_H

#include "base/error.h"
#include "kernels/result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct timing_plan {
    unsigned min_samples; /* at least so many, unless max_seconds is over */
    unsigned look_every;  /* samples of each round after them */
    double noise;         /* stop when it is no more than this */
    double max_seconds;   /* of sampling; at least one sample is always taken */
    double tick_us;       /* resolution of the timer */
    double unseen_us;     /* of the samples' kind, see timing_summarise() */
};

/* A series while it is taken, round by round. All zero but `series` at its start. */
struct sampling {
    struct series *series;
    struct timing timing; /* of what there is so far */
    double spent_s;       /* by the rounds so far */
    double noise_before;
    unsigned idle_looks;
    bool over; /* timing.stop says why, unless timing.samples is 0 */
};

/* Takes one round: of the first TIMING_ROUNDS an equal part of min_samples, then look_every samples, by calling
   sample(arg, &us, error) (which returns -1 when it fails, and a negative us for one to be discarded). From min_samples on
   it looks at each round's end: it is over for noise, for no_gain (three looks in a row that lowered the noise by less
   than a tenth each), for max_seconds at once, and when there is no room in a series. Returns 0, or -1. When the first
   200 samples are all discarded, or the first 20 and time is over, it gives up: timing.samples is 0 then. */
int timing_round(struct sampling *sampling, const struct timing_plan *plan,
                 int (*sample)(void *arg, double *us, struct error *error), void *arg, struct error *error);

enum { TIMING_ROUNDS = 5 };

/* Empties it, or lets go of its memory too. */
void series_clear(struct series *series);
void series_free(struct series *series);

/* What runs at one placement differ by although it stays the same within each of them, so that no run sees it in its own
   samples; half of a 95 % interval each, as measured on an H200 (docs/measuring.md): a share of the median; of a launch by
   itself, microseconds by the level of its timer; of launches in a sequence, microseconds a launch, by where the sequence's
   commands lie in memory. */
#define TIMING_UNSEEN_SHARE 0.001
#define TIMING_UNSEEN_TIMER_US 0.080
#define TIMING_UNSEEN_SEQUENCE_US 0.010

/* The statistics of a series with at least one sample. Quartiles are interpolated linearly between order statistics. What
   the samples leave open is, at either end, the widest of three: the interval of the median by the binomial distribution of
   ranks, which holds it with 95 % when samples are independent; Student's t by the medians of the rounds, since samples of
   one round have more in common than those of two; a tick. The noise is half of that over the median. The interval is
   wider: the root of the sum of the squares of that, of TIMING_UNSEEN_SHARE of the median, and of unseen_us. Below
   TIMING_LEAST samples there is none: the interval and the noise are NAN then. Does not set stop and launches. 0, or -1: no
   memory. */
int timing_summarise(struct timing *timing, const struct series *series, double tick_us, double unseen_us,
                     struct error *error);

/* The least difference between two samples that differ: the resolution of the timer. 0 when all are equal. */
double timing_tick(const double *samples_us, unsigned count);

/* Microseconds a launch, from sequences of `few` and of `many` launches that took so long: what the longer took more, over
   the launches that it had more, so that what is spent once a sequence does not count. Negative, to be discarded, when
   that is less than half of what a launch of the longer took on average: then the shorter was held up, since what is
   spent once is far less than the launches of a sequence take. */
double timing_slope_us(double few_us, unsigned few, double many_us, unsigned many);

#ifdef __cplusplus
}
#endif
#endif
